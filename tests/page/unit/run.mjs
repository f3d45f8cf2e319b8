// Tests of what needs no browser: bundled as the page is, run by node.
//   node tests/page/unit/run.mjs [--modules FOLDER] [--types]     --types: and checks the types of the page
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const at = process.argv.indexOf('--modules')
const modules = at < 0 ? join(here, '../../../broker/page/node_modules') : process.argv[at + 1]
if (process.argv.includes('--types') && !typed()) process.exit(1)
const { build } = createRequire(join(modules, 'x'))('esbuild')

const out = mkdtempSync(join(tmpdir(), 'leasehold-page-'))
const tests = readdirSync(here).filter(name => name.endsWith('.test.mjs'))
await build({ entryPoints: tests.map(name => join(here, name)), outdir: out, outExtension: { '.js': '.mjs' },
  bundle: true, format: 'esm', platform: 'node', external: ['node:*'], nodePaths: [modules],
  jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning' })
const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec',
  ...tests.map(name => join(out, name))], { stdio: 'inherit' })
rmSync(out, { recursive: true })
process.exit(status ?? 1)

/// With the packages wherever they are.
function typed() {
  const folder = mkdtempSync(join(tmpdir(), 'leasehold-types-'))
  const page = join(here, '../../../broker/page')
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ extends: join(page, 'tsconfig.json'), include: [join(page, 'src')],
    compilerOptions: { paths: { '*': [join(modules, '*')] } } }))
  const tsc = [join(modules, 'typescript/bin/tsc'), '-p', config]
  const { status } = spawnSync(process.execPath, tsc, { stdio: 'inherit' })
  rmSync(folder, { recursive: true })
  return status === 0
}
