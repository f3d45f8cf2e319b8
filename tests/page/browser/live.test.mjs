// Live: one stream for all tabs, the next tab takes over, a broker that restarts under an open page,
// tokens; and no more asked than is worth asking.
import assert from 'node:assert/strict'
import test from 'node:test'
import { accessible, changing, fixtureOf, picture, until, watched } from './browser.mjs'

const TABS = 8
const isLive = page => page.locator('.live', { hasText: 'live' }).waitFor()

test('eight tabs read one stream, and when its reader closes the next goes on from there', async () => {
  const fixture = await fixtureOf({ leases: 5 })
  const { open, close } = await watched()
  const tabs = []
  for (let n = 0; n < TABS; ++n) tabs.push(await open(fixture.url + '#/whatif'))
  await Promise.all(tabs.map(isLive))
  assert.deepEqual([fixture.streams.size, fixture.streamsEver], [1, 1])
  const before = fixture.event
  fixture.change()
  await tabs[0].close()
  await until(() => fixture.streamsEver === 2 && fixture.streams.size === 1, 'the next tab reads the stream')
  // It goes on from the last event that the reader had received when it closed: the change, or the one before.
  assert.ok([before, fixture.event].map(String).includes(fixture.lastIds[1]), fixture.lastIds[1])
  await Promise.all(tabs.slice(1).map(isLive))
  await tabs[5].goto(fixture.url + '#/leases')
  await tabs[5].locator('table.rows a.row').first().waitFor()
  const asked = fixture.asked.get('leases')
  await changing(fixture, () => fixture.asked.get('leases') > asked, 'a follower learns of changes')
  assert.deepEqual([fixture.streams.size, fixture.streamsEver], [1, 2])
  await close()
})

test('at most two questions a second of a kind, however much changes', async () => {
  const fixture = await fixtureOf({ leases: 5 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/leases')
  await isLive(page)
  const before = fixture.asked.get('leases')
  await until(() => {
    fixture.change()
    return fixture.asked.get('leases') >= before + 5
  }, 'it was asked five times')
  // By the page's own clock: what a busy machine holds up reaches the broker in a heap.
  const begun = await page.evaluate(() => performance.getEntriesByType('resource')
    .filter(each => new URL(each.name).pathname.endsWith('/leases')).map(each => each.startTime))
  assert.ok(begun.length >= 5, `${begun.length} questions are known to the page`)
  for (let n = 2; n < begun.length; ++n) {
    assert.ok(begun[n] - begun[n - 2] >= 990, `three questions within ${begun[n] - begun[n - 2]} ms`)
  }
  await close()
})

test('what has not changed is not sent again', async () => {
  const fixture = await fixtureOf({ leases: 3, step_ms: 3_600_000 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/hosts')
  await isLive(page)
  await changing(fixture, () => fixture.notModified > 0, 'an answer was not modified')
  await close()
})

test('a broker that restarts under an open page', async () => {
  const fixture = await fixtureOf({ leases: 5 })
  const { open, close } = await watched([/ERR_(CONNECTION_|INCOMPLETE_CHUNKED|EMPTY_RESPONSE)/])
  const page = await open(fixture.url + '#/leases')
  const follower = await open(fixture.url + '#/leases')
  await isLive(page)
  const rows = await page.locator('table.rows a.row').allInnerTexts()
  await fixture.stop()
  for (const each of [page, follower]) {
    await each.getByRole('alert').filter({ hasText: /Cut off from the broker since \d\d:\d\d:\d\d/ }).waitFor()
  }
  await picture(page, 'cut-off')
  await accessible(page, 'cut off')
  assert.deepEqual(await page.locator('table.rows a.row').allInnerTexts(), rows)
  fixture.world.gone.add(2)
  fixture.version = '0.2.0'
  await fixture.start()
  await isLive(page)
  await isLive(follower)
  await page.getByRole('button', { name: 'Load its page' }).waitFor()
  await until(async () => await page.locator('table.rows a.row').count() === rows.length - 1, 'what is new is shown')
  assert.equal(await page.getByText('Cut off').count(), 0)
  await close()
})

test('a token is asked for once, and other tabs are given it', async () => {
  const fixture = await fixtureOf({ leases: 5 }, { token: 'right' })
  const { open, close } = await watched([/401/])
  const page = await open(fixture.url + '#/leases')
  await page.getByLabel('Token').fill('wrong')
  await page.getByRole('button', { name: 'Show the page' }).click()
  await page.getByRole('alert').waitFor()
  await accessible(page, 'token')
  await page.getByLabel('Token').fill('right')
  await page.getByRole('button', { name: 'Show the page' }).click()
  await page.locator('table.rows a.row').first().waitFor()
  await isLive(page)
  const other = await open(fixture.url + '#/leases')
  await other.locator('table.rows a.row').first().waitFor()
  assert.equal(await page.evaluate(() => localStorage.getItem('leasehold.token')), null)
  await close()
})
