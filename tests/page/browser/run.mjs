// All tests in one browser, one after the other; a word chooses files by name.
// It fails, and does not skip, where there is no browser: scripts/install-packages installs it.
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const chromium = process.env.LEASEHOLD_CHROMIUM ?? '/usr/bin/chromium-headless-shell'
if (!existsSync(chromium)) {
  console.error(`there is no ${chromium}: scripts/install-packages installs it; LEASEHOLD_CHROMIUM names another one`)
  process.exit(1)
}
const only = process.argv[2] ?? ''
const files = readdirSync(here).filter(name => name.endsWith('.test.mjs') && name.includes(only))
if (files.length === 0) {
  console.error(`no file of ${here} has ${only} in its name`)
  process.exit(1)
}
for (const name of files) await import(join(here, name))
