// All tests in a browser, as many files at once as get their places (tests/integration/places.py): a browser
// each, and what it looks at.
// It fails, and does not skip, where there is no browser: scripts/install-packages installs it.
import { existsSync, readdirSync } from 'node:fs'
import { spawn } from 'node:child_process'
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
const PYTHON = process.env.LEASEHOLD_PYTHON ?? '/usr/bin/python3'
const placed = [join(here, '../../integration/places.py'), '--places', '2']

/// Its exit code; what it says is told when it has ended.
const run = name => new Promise(done => {
  const test = spawn(PYTHON, ['-B', ...placed, process.execPath, '--test', '--test-reporter=spec', join(here, name)],
    { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = []
  for (const stream of [test.stdout, test.stderr]) stream.on('data', part => said.push(part))
  test.on('close', status => {
    process.stdout.write(Buffer.concat(said))
    done(status ?? 1)
  })
})

const ended = await Promise.all(files.map(run))
process.exitCode = ended.every(status => status === 0) && ended.length > 0 ? 0 : 1
