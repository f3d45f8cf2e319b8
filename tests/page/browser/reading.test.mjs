// Reading: rows keep their places, filters and search, links that lead back, the past, what-if files.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { changing, fixtureOf, until, watched } from './browser.mjs'

const ids = page => page.locator('table.rows a.row').allInnerTexts()

test('rows stay where they are while their cells change, until the reader sorts again', async () => {
  const fixture = await fixtureOf({ leases: 30, step_ms: 3_600_000 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/leases?sort=-consumer_used')
  await page.locator('table.rows a.row').first().waitFor()
  const before = await ids(page)
  const cells = await page.locator('table.rows tbody').innerText()
  fixture.world.bump += 1
  await changing(fixture, async () => await page.locator('table.rows tbody').innerText() !== cells, 'cells change')
  assert.deepEqual(await ids(page), before)
  fixture.world.gone.add(3)
  const gone = fixture.world.id(3)
  await changing(fixture, async () => !(await ids(page)).includes(gone), 'a row goes')
  assert.deepEqual(await ids(page), before.filter(id => id !== gone))
  fixture.world.gone.delete(3)
  await changing(fixture, async () => (await ids(page)).at(-1) === gone, 'it comes back at the end')
  await page.keyboard.press('s')
  const unsorted = [...before.filter(id => id !== gone), gone].join()
  await until(async () => (await ids(page)).join() !== unsorted, 'sorted again')
  assert.equal(await page.getByRole('button', { name: /Sort again/ }).count(), 0)
  await close()
})

test('filters stand in the address, and the address brings them back', async () => {
  const fixture = await fixtureOf({ leases: 60 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/leases')
  await page.getByRole('combobox', { name: 'Provider' }).fill('ea*')
  await page.getByText('8 leases of 60').waitFor()
  await page.getByLabel('Search in leases').fill('pool-00008')
  await page.getByText('1 lease of 60').waitFor()
  const again = await open(page.url())
  await again.getByText('1 lease of 60').waitFor()
  assert.equal(await again.getByRole('combobox', { name: 'Provider' }).inputValue(), 'ea*')
  await again.getByRole('button', { name: 'Show all' }).click()
  await again.getByText('60 leases ·').waitFor()
  await close()
})

test('search finds leases, clusters, hosts and consumers, and goes there', async () => {
  const fixture = await fixtureOf({ leases: 60 })
  const { open, close } = await watched()
  const page = await open(fixture.url)
  await page.locator('.live', { hasText: 'live' }).waitFor()
  for (const [text, kind, heading] of [['00042', 'lease', 'pool-00042'], ['hpc-b', 'cluster', 'Cluster hpc-b'],
    ['node007', 'host', 'Host node007@'], ['genomics', 'consumer', 'Consumer /research/genomics'],
    ['two inst', 'view', 'Two instants']]) {
    await page.keyboard.press('/')
    await page.keyboard.type(text)
    const hit = page.locator('#hits li', { has: page.getByText(kind, { exact: true }) }).first()
    await hit.waitFor()
    const at = async (of, name) => Number((await of.getAttribute(name)).replace('hit-', ''))
    const box = page.getByLabel('Search everything')
    for (;;) {  // more hits may come above it meanwhile
      const off = await at(hit, 'id') - await at(box, 'aria-activedescendant')
      if (off === 0) break
      await page.keyboard.press(off > 0 ? 'ArrowDown' : 'ArrowUp')
    }
    await page.keyboard.press('Enter')
    await page.locator('h1', { hasText: heading }).waitFor()
    await page.getByLabel('Search everything').fill('')
    await page.keyboard.press('Escape')
    await page.locator('#main').focus()
  }
  await close()
})

test('a past instant by the slider: every question asks for it, and the page says so', async () => {
  const fixture = await fixtureOf({ leases: 20 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/leases')
  await page.locator('table.rows a.row').first().waitFor()
  const asked = page.waitForRequest(request => /api\/v1\/leases\?at=/.test(request.url()))
  await page.getByRole('slider', { name: 'Instant' }).focus()
  for (let n = 0; n < 5; ++n) await page.keyboard.press('ArrowLeft')
  await asked
  await page.getByText('This is the past:').waitFor()
  assert.match(page.url(), /at=20/)
  const hosts = page.waitForRequest(request => /api\/v1\/hosts\?.*at=20/.test(request.url()))
  await page.getByRole('link', { name: 'Hosts' }).click()
  await page.locator('h1', { hasText: 'Hosts' }).waitFor()
  await hosts  // the heading stands before it is asked
  assert.match(page.url(), /#\/hosts\?at=20/)
  fixture.change()
  fixture.change()
  await page.keyboard.press('n')
  await page.locator('.live', { hasText: 'live' }).waitFor()
  assert.doesNotMatch(page.url(), /at=/)
  await page.goBack()
  await page.getByText('This is the past:').waitFor()
  await close()
})

test('results of what-if stand side by side; a file that is none says so', async () => {
  const fixture = await fixtureOf()
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/whatif')
  const file = (name, value) => ({ name, mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(value)) })
  const rows = [{ rule: 'idle-comparison', flips: 40, slots_moved: 400 },
    { rule: 'demand-aware', flips: 20, slots_moved: 380 }]
  await page.getByLabel(/Open or drop/).setInputFiles([file('two.json', rows), file('none.json', [])])
  await page.getByRole('alert').filter({ hasText: 'none.json holds no results' }).waitFor()
  const flips = page.locator('table.runs tr', { hasText: 'flips' })
  await flips.getByText('−50 %').waitFor()
  const heads = await page.locator('table.runs thead th').allInnerTexts()
  assert.deepEqual(heads.map(each => each.split('\n')[0]), ['Measure', 'idle-comparison', 'demand-aware'])
  await close()
})

test('an estimate of a site\'s own history: what happened, its model, what was changed; in slot-hours', async () => {
  const fixture = await fixtureOf()
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/whatif')
  const file = join(dirname(fileURLToPath(import.meta.url)), '../fixture/what-if.json')
  await page.getByLabel(/Open or drop/).setInputFiles(file)
  const heads = page.locator('[aria-label="Results side by side"] thead th')
  await heads.nth(3).waitFor()
  assert.deepEqual((await heads.allInnerTexts()).map(each => each.split('\n')[0]),
    ['Measure', 'Happened', 'Modelled, nothing changed', 'What if reclaim_delay = 20m'])
  const lent = page.getByRole('row', { name: /^slots at consumers, slot-h/ }).first()
  assert.match(await lent.innerText(), /28,080\.1/)
  // The changed run is compared with the model, the model with what happened.
  const flips = page.getByRole('row', { name: /^flips/ }).first()
  assert.deepEqual(await flips.locator('.difference').allInnerTexts(), ['−6.4 %', '−75 %'])
  await page.getByText('An estimate.').waitFor()
  await page.locator('li', { hasText: 'agents answer orders' }).waitFor()
  await page.locator('li', { hasText: '44,772 events' }).waitFor()
  // The same history again: nothing that stands there already.
  await page.getByLabel(/Open or drop/).setInputFiles(file)
  await page.locator('li', { hasText: '44,772 events' }).nth(1).waitFor()
  assert.equal(await heads.count(), 4)
  await close()
})

test('history goes back page by page and finds what is searched', async () => {
  const fixture = await fixtureOf({ leases: 6 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/history')
  await page.getByText(/^2\d\d events/).waitFor()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText(/^[34]\d\d events/).waitFor()
  await page.getByLabel('Search in history').fill('drain campus')
  await page.getByText(/^1 event of/).waitFor()
  await page.locator('.happenings .when').first().click()
  await page.getByText('This is the past:').waitFor()
  await close()
})
