// A real Chromium for a test, and a watch over every page: an error in its console, a violation of the
// content security policy or a request to elsewhere fails the test that opened it.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Fixture } from '../fixture/server.mjs'
import { World } from '../fixture/world.mjs'

const source = join(dirname(fileURLToPath(import.meta.url)), '../../../broker/page')
/// The folders of the packages of `npm ci`, of what build.mjs made, and of pictures.
const MODULES = process.env.LEASEHOLD_PAGE_MODULES ?? join(source, 'node_modules')
export const BUILT = process.env.LEASEHOLD_PAGE ?? join(source, 'dist')
export const PICTURES = process.env.LEASEHOLD_PAGE_PICTURES ?? join(BUILT, '../pictures')
const CHROMIUM = process.env.LEASEHOLD_CHROMIUM ?? '/usr/bin/chromium-headless-shell'

const require = createRequire(join(MODULES, 'x'))
const { chromium } = require('playwright-core')
const { source: axeSource } = require('axe-core')

/// The one bound of everything that waits (tests/integration/processes.py): it ends only what hangs.
export const LAST_BOUND_MS = 1_800_000
export const WIDE = { width: 1280, height: 900 }
export const NARROW = { width: 360, height: 740 }

mkdirSync(PICTURES, { recursive: true })
// Tabs share a process, and what draws is none of its own: starting processes is a fifth of what the tests cost.
// Debian's launcher asks for a graphics card, which a program plays where there is none: a tenth more.
const CHEAP = ['--process-per-site', '--renderer-process-limit=1', '--in-process-gpu', '--disable-gpu']
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...CHEAP] })
// One profile for all tests: a new one starts all processes of the browser, which costs more than most of what is done
// in it. Storage, locks and channels are an origin's, and each fixture is one.
const context = await browser.newContext({ viewport: WIDE, timezoneId: 'Europe/Berlin', locale: 'en-GB',
  reducedMotion: 'reduce' })
context.setDefaultTimeout(LAST_BOUND_MS)
const fixtures = []
after(async () => {
  await browser.close()
  for (const fixture of fixtures) await fixture.stop().catch(() => {})
})

export async function fixtureOf(world = {}, more = {}) {
  const fixture = new Fixture({ world: new World(world), page: BUILT, ...more })
  await fixture.start()
  fixtures.push(fixture)
  return fixture
}

// A page that stays open keeps the process of all pages alive.
const first = await context.newPage()
await first.goto((await fixtureOf({ leases: 0 })).url + 'nothing')

/// Records what the pages of the test that runs said, and should not have.
let complain = () => {}
context.on('page', page => {
  page.on('console', message => {
    if (['error', 'warning'].includes(message.type())) complain(`${message.type()}: ${message.text()}`)
  })
  page.on('pageerror', error => complain(`uncaught: ${error.stack}`))
  page.on('request', request => {
    if (!/^(http:\/\/127\.0\.0\.1|data:|blob:)/.test(request.url())) complain(`asked elsewhere: ${request.url()}`)
  })
})
const opened = () => context.pages().filter(page => page !== first)
const closeAll = () => Promise.all(opened().map(page => page.close()))

/// The pages of one test. `allowed`: texts of errors that it brings about.
export async function watched(allowed = []) {
  await closeAll()  // of a test that failed
  const wrong = []
  complain = text => {
    if (!allowed.some(each => each.test(text))) wrong.push(text)
  }
  return {
    opened,
    open: async (url, { viewport, colorScheme } = {}) => {
      const page = await context.newPage()
      if (viewport) await page.setViewportSize(viewport)
      if (colorScheme) await page.emulateMedia({ colorScheme })
      await page.goto(url)
      return page
    },
    /// At the end of a test.
    close: async () => {
      await closeAll()
      assert.deepEqual(wrong, [])
    }
  }
}

/// Rules of axe that another width may break though the elements are the same.
export const OF_LAYOUT = ['target-size', 'scrollable-region-focusable']

/// Nothing that axe finds, by these rules or by all; `touched`: by fingers, too. Its source is given to each
/// document once: reading it takes as long as looking by a few rules.
export async function accessible(page, of, rules, touched = false) {
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axeSource)
  const options = { resultTypes: ['violations'], ...rules
    ? { runOnly: { type: 'rule', values: rules } }
    : touched ? { rules: { 'target-size': { enabled: true } } } : {} }
  const { violations } = await page.evaluate(asked => window.axe.run(document, asked), options)
  const found = violations.flatMap(each => each.nodes.map(node =>
    `${of}: ${each.id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n')[1]?.trim()}`))
  assert.deepEqual(found, [])
}

export const picture = (page, name) => page.screenshot({ path: join(PICTURES, `${name}.png`) })

/// Programs that tests started: each says '' while it runs, and then how it ended.
export const mustRun = [() => browser.isConnected() ? '' : 'the browser has ended']

/// Until `ready` returns what is true; never for a time.
export async function until(ready, what) {
  const began = Date.now()
  for (;;) {
    const ended = mustRun.map(each => each()).filter(Boolean).join(', ')
    const found = await ready()
    if (found) return found
    const waited = Date.now() - began
    assert.ok(!ended && waited < LAST_BOUND_MS, `waited in vain for ${waited / 1000} s until ${what}; ${ended}`)
    await new Promise(done => setTimeout(done, 20))
  }
}

/// The chart's cursor moved by keys until `said` of the record under it: a redraw in between may
/// take the cursor away.
export const pointedAt = (page, said) => until(async () => {
  await page.locator('.plot').focus()
  await page.keyboard.press('ArrowRight')
  return await page.locator('figcaption', { hasText: said }).count() > 0
}, `the chart tells ${said}`)

/// Changes of the fixture one after the other until `ready`: what a page that is behind needs.
export const changing = (fixture, ready, what) => until(async () => {
  fixture.change()
  await new Promise(done => setTimeout(done, 100))
  return ready()
}, what)
