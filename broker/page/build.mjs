// Makes of src/ what a browser gets: index.html and assets/NAME.HASH.{js,css,svg}. A name with a hash
// never means other bytes, so it may be kept for ever; index.html names them.
//
//   node build.mjs [--out FOLDER] [--modules FOLDER]
//
// --modules: where `npm ci` put the packages, where that is not beside package.json. No network.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const here = dirname(fileURLToPath(import.meta.url))
const option = (name, otherwise) => {
  const at = process.argv.indexOf(name)
  return at < 0 ? otherwise : process.argv[at + 1]
}
const out = option('--out', join(here, 'dist'))
const modules = resolve(option('--modules', join(here, 'node_modules')))
const { build } = createRequire(join(modules, 'x'))('esbuild')

rmSync(out, { recursive: true, force: true })
mkdirSync(join(out, 'assets'), { recursive: true })

const result = await build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.tsx', style: 'src/style/style.css', theme: 'src/theme.ts' },
  outdir: join(out, 'assets'),
  entryNames: '[name].[hash]',
  chunkNames: '[name].[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  minify: true,
  charset: 'utf8',
  target: ['es2022', 'chrome105', 'firefox110', 'safari16'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  nodePaths: [modules],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning'
})

if (result.warnings.length > 0) process.exit(1)

const made = new Map()
for (const [path, { entryPoint }] of Object.entries(result.metafile.outputs)) {
  if (entryPoint) made.set(entryPoint, path.split('/').at(-1))
}
const icon = readFileSync(join(here, 'src/icon.svg'))
const iconName = `icon.${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
writeFileSync(join(out, 'assets', iconName), icon)

const index = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('{theme}', made.get('src/theme.ts'))
  .replace('{style}', made.get('src/style/style.css'))
  .replace('{page}', made.get('src/main.tsx'))
  .replace('{icon}', iconName)
writeFileSync(join(out, 'index.html'), index)

for (const path of Object.keys(result.metafile.outputs)) {
  const bytes = readFileSync(join(here, path))
  console.log(`${path.split('/').at(-1)}: ${bytes.length} bytes, ${gzipSync(bytes).length} gzipped`)
}
