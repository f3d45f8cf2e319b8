// Checks that a folder holds the packages that package-lock.json names, each in its version.
//
//   node packages.mjs NODE_MODULES [--all]
//
// Exit 0: yes; 1: no, and what differs. --all: those of the tests, too. No network.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const [folder, ...options] = process.argv.slice(2)
const { packages } = JSON.parse(readFileSync(join(here, 'package-lock.json'), 'utf8'))

function installed(path) {
  try {
    return JSON.parse(readFileSync(join(folder, '..', path, 'package.json'), 'utf8')).version
  } catch {
    return null
  }
}

for (const [path, { version, dev, optional }] of Object.entries(packages)) {
  // Optional ones are of other machines; the build itself names the one that is needed.
  if (path === '' || optional || (dev && !options.includes('--all'))) continue
  const found = installed(path)
  if (found === version) continue
  console.error(`${path}: ${found ?? 'none'} is there, ${version} is wanted`)
  process.exit(1)
}
