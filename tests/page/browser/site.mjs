// A real broker with simulated clusters (site.py), ordered about by lines.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mustRun } from './browser.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const PYTHON = process.env.LEASEHOLD_PYTHON ?? '/usr/bin/python3'

export function startSite() {
  const site = spawn(PYTHON, ['-B', join(here, '../site.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  let ordered = false
  mustRun.push(() => ordered || site.exitCode === null ? '' : `the site has ended with ${site.exitCode}`)
  const ended = new Promise(done => site.on('exit', done))
  const lines = createInterface({ input: site.stdout })[Symbol.asyncIterator]()
  return {
    async order(text) {
      site.stdin.write(text + '\n')
      const { value, done } = await lines.next()
      assert.ok(!done, `the site ended at ${text}`)
      return JSON.parse(value).answer
    },
    /// Its exit code: 0 if its ledgers and its history were right.
    end() {
      ordered = true
      site.stdin.end('end\n')
      return ended
    }
  }
}
