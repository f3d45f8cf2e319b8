// An operator's questions that are no lists: why a cluster, a host or a consumer is as it is, when slots
// can be had, who had how many for how long, what a shadow would have done.
import assert from 'node:assert/strict'
import test from 'node:test'
import { changing, fixtureOf, watched } from './browser.mjs'

const fixture = await fixtureOf({ leases: 20 })
const LEASE = fixture.world.id(7)
const place = (view, id) => `${fixture.url}#/${view}/${encodeURIComponent(id)}`
const asked = (page, path) => page.waitForRequest(request => path.test(decodeURIComponent(request.url())))

test('each row of clusters, hosts and consumers leads to why it is so, then as now', async () => {
  const { open, close } = await watched()
  const page = await open(fixture.url)
  for (const [view, text, title] of [['clusters', 'cloud', 'Cluster cloud'], ['hosts', 'node004@', 'Host node004@'],
    ['consumers', 'genomics', 'Consumer /research/genomics']]) {
    await page.goto(`${fixture.url}#/${view}?at=2026-11-20T10:00:00.000Z`)
    const question = asked(page, /api\/v1\/explain\/.+\?at=2026-11-20T10/)
    await page.locator('main').getByRole('link', { name: text }).first().click()
    await question
    await page.locator('h1', { hasText: title }).waitFor()
    await page.locator('.numbers span').first().waitFor()
    assert.match(page.url(), /#\/explain\/.+\?at=2026-11-20T10/)
  }
  await page.goto(place('explain', 'cloud'))
  await page.locator('li', { hasText: '3 jobs wait for 4 slots on one host' }).waitFor()
  await page.locator('.need', { hasText: 'leasectl forget cloud' }).waitFor()
  await page.locator('.leased a').first().click()
  await page.locator('h1', { hasText: 'Lease' }).waitFor()
  await page.goto(place('explain', LEASE))
  await page.locator('h1', { hasText: `Lease ${LEASE}` }).waitFor()
  await close()
})

test('a view says what nobody knows', async () => {
  const { open, close } = await watched([/404/])
  const page = await open(place('explain', 'nowhere'))
  await page.getByRole('alert').filter({ hasText: 'nowhere' }).waitFor()
  await close()
})

test('when slots can be had: asked in the address, of either side, and never is said', async () => {
  const { provider, consumer } = fixture.world.sidesOf(7)
  const { open, close } = await watched()
  const page = await open(place('lease', LEASE))
  await page.getByLabel('How many slots').fill('40')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText(`40 slots at ${consumer} can be had in 5m`).waitFor()
  const rows = await page.locator('table.forecast tbody tr').allInnerTexts()
  assert.deepEqual(rows.map(each => each.split(/\s/)[0]), ['earliest', 'likely', 'latest'])
  assert.match(rows[1], /in 42 min[^]*running 37 slots as running work ends/)
  assert.match(rows[2], /not known[^]*not-obliged/)
  const question = asked(page, /forecast\/.+slots=40&provider=true/)
  await page.getByLabel('By whom').selectOption('provider')
  await question
  await page.getByText(`40 slots at ${provider} can be had`).waitFor()
  const again = await open(page.url())
  await again.getByText(`40 slots at ${provider} can be had`).waitFor()
  await again.getByLabel('How many slots').fill('500')
  await again.keyboard.press('Enter')
  await again.getByText(/can never be had/).waitFor()
  assert.equal(await again.locator('table.forecast').count(), 0)
  await again.goto(place('explain', '/research/genomics'))
  assert.equal(await again.getByLabel('By whom').count(), 0)
  await close()
})

test('usage of a time is asked for once, and again when the reader wants it', async () => {
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/usage')
  await page.locator('table.rows a.row').first().waitFor()
  const [times, others] = ['usage', 'status'].map(each => fixture.asked.get(each))
  await changing(fixture, () => fixture.asked.get('status') > others + 1, 'the rest is asked again')
  assert.equal(fixture.asked.get('usage'), times)
  const owned = () => page.locator('tr', { hasText: '/finance/risk' }).locator('td').nth(4).innerText()
  assert.equal(await owned(), '720.0')  // 30 slots for a day
  await page.getByRole('button', { name: 'hour', exact: true }).click()
  await page.locator('tr', { hasText: '/finance/risk' }).getByText('30.0').waitFor()
  const question = asked(page, /usage\?since=2026-11-20T10:00:00.000Z&until=2026-11-20T11:00:00.000Z$/)
  await page.goto(fixture.url + '#/usage?since=2026-11-20T10:00:00.000Z&at=2026-11-20T11:00:00.000Z')
  await question
  await close()
})

test('a shadow beside the rule in force, of all leases and of one, over the same time', async () => {
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/shadows?last=7d')
  await page.getByText(/the shadows would have moved/).waitFor()
  await page.getByRole('link', { name: LEASE }).click()
  await page.locator('td', { hasText: 'exclusive-due' }).waitFor()
  assert.match(page.url(), /#\/shadows\/.+\?last=7d/)
  await page.getByRole('link', { name: 'the lease' }).click()
  await page.locator('p', { hasText: 'The shadow exclusive decides otherwise' }).getByRole('link').click()
  await page.locator('h1', { hasText: 'Shadow of' }).waitFor()
  await close()
})
