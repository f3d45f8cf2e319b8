// Each view, at two widths, light and dark: it opens, shows what it is about, axe finds nothing, and
// its picture is kept for people to look at. Names that try to be more than text are text.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { accessible, BUILT, fixtureOf, NARROW, OF_LAYOUT, picture, watched, WIDE } from './browser.mjs'

const here = dirname(fileURLToPath(import.meta.url))
// Few rows, and few of the history: axe looks at every element, and rows are alike.
const fixture = await fixtureOf({ leases: 14, evil: true, step_ms: 120_000 })
const ago = ms => new Date(Date.now() - ms).toISOString()
const LEASE = fixture.world.id(7)

const CLUSTER = fixture.world.sidesOf(7).provider
const explained = id => `#/explain/${encodeURIComponent(id)}`
const firstRow = page => page.locator('table.rows a.row').first()
const openEstimate = async page => {
  await page.getByLabel(/Open or drop/).setInputFiles(join(here, '../fixture/what-if.json'))
  await page.getByText('By lease').click()
}

/// Its address, and what stands there when it is shown; `cards`: a phone is shown other elements; `before`: what
/// its reader does.
const VIEWS = [
  { name: 'attention', hash: '#/attention', shown: page => page.getByText('leasectl forget cloud') },
  { name: 'clusters', hash: '#/clusters', shown: firstRow, cards: true },
  { name: 'leases', hash: '#/leases', shown: firstRow, cards: true },
  { name: 'lease', hash: `#/lease/${encodeURIComponent(LEASE)}?last=15m&slots=40`,
    shown: page => page.locator('.plot canvas').and(page.locator('main:has(table.forecast) canvas')) },
  { name: 'consumers', hash: '#/consumers', shown: page => page.getByText('genomics'), cards: true },
  { name: 'hosts', hash: '#/hosts', shown: firstRow, cards: true },
  { name: 'history', hash: `#/history?lease=${encodeURIComponent(LEASE)}&since=${ago(600_000)}`,
    shown: page => page.locator('.happenings .kind').first() },
  { name: 'explain-cluster', hash: explained(CLUSTER), shown: page => page.getByText('What waits there') },
  { name: 'explain-host', hash: explained(`node007@${CLUSTER}`), shown: page => page.getByText('its cluster') },
  { name: 'explain-consumer', hash: explained('/research/genomics') + '?slots=64',
    shown: page => page.locator('table.forecast') },
  { name: 'usage', hash: '#/usage', shown: firstRow, cards: true },
  { name: 'shadows', hash: '#/shadows', shown: firstRow, cards: true },
  { name: 'shadow', hash: `#/shadows/${encodeURIComponent(LEASE)}`, shown: page => page.getByText('In force found') },
  { name: 'whatif', hash: '#/whatif', before: openEstimate, shown: page => page.getByText('Assumed, for') },
  { name: 'compare', hash: '#/compare', shown: page => page.locator('table.compare tbody tr').first() },
  { name: 'past', hash: `#/leases?at=${ago(3_600_000)}`, shown: page => page.getByText('This is the past:') }
]

const MORE_PX = 4000

/// By which rules a view is looked at: all of them once for each set of elements that there is; in the dark
/// by its colours; at another width what a layout may break. undefined: all; null: none that could differ.
function rulesOf({ cards }, size, colours) {
  if (size === 'wide' || cards) return colours === 'dark' ? ['color-contrast'] : undefined
  return colours === 'dark' ? null : OF_LAYOUT
}

/// One view that is shown, in these colours.
async function looked(page, view, viewport, size, colorScheme) {
  const name = `${view.name}-${size}-${colorScheme}`
  await page.emulateMedia({ colorScheme })
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
  await picture(page, name)
  const rules = rulesOf(view, size, colorScheme)
  if (rules === null) return
  // A footer that lies over what is touched goes away as one scrolls: here there is nothing to scroll, nor
  // once more has happened.
  if (size === 'narrow' && colorScheme === 'light') {
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await page.setViewportSize({ ...viewport, height: height + MORE_PX })
  }
  await accessible(page, name, rules, size === 'narrow')
  await page.setViewportSize(viewport)
}

// Each view is opened once at a width, and its colours are changed while it is there.
for (const [size, viewport, colours] of [['wide', WIDE, ['light', 'dark']], ['narrow', NARROW, ['dark', 'light']]]) {
  test(`each view, ${size}, ${colours.join(' and ')}`, async () => {
    const { open, close } = await watched()
    const page = await open(fixture.url, { viewport, colorScheme: colours[0] })
    for (const view of VIEWS) {
      await page.emulateMedia({ colorScheme: colours[0] })
      await page.goto(fixture.url + view.hash)
      await view.before?.(page)
      await view.shown(page).waitFor()
      await page.locator('.live', { hasText: view.name === 'past' ? 'past' : 'live' }).waitFor()
      for (const colorScheme of colours) await looked(page, view, viewport, size, colorScheme)
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.ok(beyond <= 0, `${view.name} is ${beyond} px wider than the ${size} screen`)
    }
    await close()
  })
}

test('what is read before the first chart is small', () => {
  const index = readFileSync(join(BUILT, 'index.html'), 'utf8')
  const first = [...index.matchAll(/assets\/([^"]+\.(?:js|css))/g)].map(each => each[1])
  const chunks = first.flatMap(name => [...readFileSync(join(BUILT, 'assets', name), 'utf8')
    .matchAll(/from"\.\/(chunk\.[^"]+)"/g)].map(each => each[1]))
  const bytes = [...new Set([...first, ...chunks])].reduce((sum, name) =>
    sum + gzipSync(readFileSync(join(BUILT, 'assets', name))).length, 0)
  assert.ok(first.length >= 3 && bytes > 10_000 && bytes <= 48 * 1024, `${first} ${chunks}: ${bytes} bytes`)
})

test('names that are HTML, escapes or turn their line round are shown as text', async () => {
  const few = await fixtureOf({ leases: 8, evil: true })
  const { open, close } = await watched()
  const page = await open(few.url + '#/leases')
  await page.locator('table.rows a.row', { hasText: '<img src=x onerror=alert(1)>' }).waitFor()
  const text = await page.locator('table.rows').innerText()
  for (const shown of ['ESC', 'U+0007', 'U+202E', 'U+200B']) assert.ok(text.includes(shown), shown)
  assert.ok(!/[\u001b\u202e\u200b]/.test(text))
  assert.equal(await page.locator('table.rows img').count(), 0)
  await page.locator('table.rows a.row', { hasText: 'gnp.exe' }).click()
  await page.locator('h1', { hasText: 'U+202E' }).waitFor()
  await page.locator('.sides').waitFor()
  await close()
})

test('the first rows of 1,000 leases are painted; how soon is printed, not judged', async () => {
  const thousand = await fixtureOf({ leases: 1000 })
  const { open, close } = await watched()
  const page = await open(thousand.url + '#/leases')
  await page.locator('table.rows a.row').first().waitFor()
  const painted = () => page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  // The best of some: how long it takes is the page's, how long it waits is the machine's.
  let best = Infinity
  for (let n = 0; n < 3; ++n) {
    await page.reload()
    await page.locator('table.rows a.row').first().waitFor()
    best = Math.min(best, await painted() ?? Infinity)
  }
  assert.ok(Number.isFinite(best), 'nothing was painted')
  console.log(`first paint: ${Math.round(best)} ms`)
  await close()
})
