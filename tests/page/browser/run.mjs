// All tests in a browser, one file after the other or as many at once as there are processors to spare.
// It fails, and does not skip, where there is no browser: scripts/install-packages installs it.
import { existsSync, readdirSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const chromium = process.env.LEASEHOLD_CHROMIUM ?? '/usr/bin/chromium'
if (!existsSync(chromium)) {
  console.error(`there is no ${chromium}: scripts/install-packages installs it; LEASEHOLD_CHROMIUM names another one`)
  process.exit(1)
}
const only = process.argv[2] ?? ''
const files = readdirSync(here).filter(name => name.endsWith('.test.mjs') && name.includes(only))
const words = ['--test', '--test-reporter=spec', ...files.map(name => join(here, name))]
const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' })
process.exit(status ?? 1)
