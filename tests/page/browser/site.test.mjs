// The page as a broker serves it: a real one with simulated clusters whose lease flips and whose plan
// is carried out. What an operator orders shows; a restart of the broker is seen and got over.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { NARROW, picture, pointedAt, until, watched, WIDE } from './browser.mjs'
import { startSite } from './site.mjs'

let site
let url
const order = text => site.order(text)
after(() => site?.end())

test('a site starts', async () => {
  site = startSite()
  url = await order('url')
})

const isLive = page => page.locator('.live', { hasText: 'live' }).waitFor()

test('each view of a real broker', async () => {
  const { opened, open, close } = await watched()
  const page = await open(url)
  await isLive(page)
  await page.locator('.brand', { hasText: 'campus' }).waitFor()
  await page.locator('.totals').waitFor()
  const csp = (await page.request.get(url)).headers()['content-security-policy']
  assert.match(csp, /script-src 'self'/)
  await picture(page, 'real-attention')
  for (const [view, shown] of [['clusters', 'exports to'], ['leases', 'pool:west'], ['hosts', 'farm1'],
    ['consumers', 'genomics'], ['history', 'broker-started']]) {
    await page.goto(`${url}#/${view}${view === 'history' ? '?q=broker-started' : ''}`)
    await page.locator('main', { hasText: shown }).waitFor()
    await picture(page, `real-${view}`)
  }
  await page.goto(url + '#/leases')
  await page.getByRole('link', { name: 'pool:west' }).click()
  await page.locator('.plot canvas').waitFor()
  await page.locator('.happenings .flip').first().waitFor()
  await page.locator('h3', { hasText: 'What would change it' }).waitFor()
  await pointedAt(page, 'east uses')
  await picture(page, 'real-lease')
  await page.setViewportSize(NARROW)
  await picture(page, 'real-lease-narrow')
  await page.setViewportSize(WIDE)
  await page.goto(url + '#/lease/' + encodeURIComponent('compute:/lab/physics'))
  await page.getByText('Dashed: its quota').waitFor()
  await page.getByLabel('How many slots').fill('2')
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText('A forecast, no promise').waitFor()
  for (const [id, shown] of [['east', 'as provider'], ['farm1@east', 'farm1@east has 8 slots'],
    ['/lab/genomics', '/lab/genomics wants'], ['pool:west', 'The shadow']]) {
    await page.goto(`${url}#/explain/${encodeURIComponent(id)}`)
    await page.locator('main', { hasText: shown }).waitFor()
    await picture(page, `real-explain-${id.replace(/\W+/g, '-')}`)
  }
  for (const [view, shown] of [['usage', '/lab/physics'], ['shadows', 'pool:west'],
    ['shadows/pool:west', 'In force found']]) {
    await page.goto(`${url}#/${view}`)
    await page.locator('main', { hasText: shown }).waitFor()
    await picture(page, `real-${view.replace(/\W+/g, '-')}`)
  }
  assert.equal(opened().length, 1)
  await close()
})

test('what an operator orders is seen without asking, and so is the past before it', async () => {
  const { open, close } = await watched()
  const page = await open(url)
  await isLive(page)
  const before = new Date().toISOString()
  await order('ctl freeze --reason disks')
  await page.locator('.conditions', { hasText: 'frozen' }).waitFor()
  await page.locator('.conditions', { hasText: 'disks' }).waitFor()
  await page.goto(`${url}#/leases?at=${before}`)
  await page.getByText('This is the past:').waitFor()
  await page.getByRole('link', { name: 'pool:west' }).click()
  await page.locator('.sides').waitFor()
  assert.equal(await page.locator('.facts', { hasText: 'frozen' }).count(), 0)
  await page.keyboard.press('n')
  await page.locator('.facts', { hasText: 'frozen' }).waitFor()
  await order('ctl thaw')
  await page.locator('.facts', { hasText: 'frozen' }).waitFor({ state: 'hidden' })
  await close()
})

test('several tabs are one stream to the broker, and a restart of it is got over', async () => {
  const { open, close } = await watched([/ERR_/, /503/])
  const tabs = []
  for (let n = 0; n < 4; ++n) tabs.push(await open(url + '#/leases'))
  await Promise.all(tabs.map(isLive))
  await until(async () => await order('streams') === 1, 'all tabs read one stream')
  const [first, last] = [tabs[0], tabs.at(-1)]
  await last.locator('table.rows a.row').first().waitFor()
  await order('stop')
  await last.getByRole('alert').filter({ hasText: 'Cut off from the broker since' }).waitFor()
  assert.ok(await last.locator('table.rows a.row').count() > 0)
  await order('start')
  await isLive(last)
  await first.close()
  await until(async () => await order('streams') === 1, 'another tab reads the stream')
  await isLive(last)
  await close()
})

test('the site ends well', async () => {
  assert.equal(await site.end(), 0)
})
