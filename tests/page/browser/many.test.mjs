// 100,000 leases: found, sorted and scrolled through, with no more rows drawn than a screen takes.
import assert from 'node:assert/strict'
import test from 'node:test'
import { changing, fixtureOf, until, watched } from './browser.mjs'

test('100,000 leases are usable', async () => {
  const fixture = await fixtureOf({ leases: 100_000, step_ms: 3_600_000 })
  const { open, close } = await watched()
  const page = await open(fixture.url + '#/leases')
  await page.locator('table.rows a.row').first().waitFor()
  await page.getByText(/^100,000 leases ·/).waitFor()
  const drawn = () => page.locator('table.rows tbody tr').count()
  assert.ok(await drawn() < 200)
  for (const share of [0.3, 0.77, 1]) {
    await page.evaluate(to => scrollTo(0, to * document.documentElement.scrollHeight), share)
    const row = Math.floor(99_999 * share) - (share === 1 ? 0 : 40)
    await until(async () => await page.locator('table.rows tr[data-row]').evaluateAll((rows, wanted) =>
      rows.some(each => Math.abs(Number(each.dataset.row) - wanted) < 60), row), `rows near ${row} are drawn`)
    assert.ok(await drawn() < 200)
  }
  await page.getByRole('button', { name: 'Lease', exact: false }).first().click()
  await page.locator('tr[data-row="99999"]', { hasText: 'pool-00000' }).waitFor()
  await page.getByLabel('Search in leases').fill('pool-0773')
  await page.getByText('10 leases of 100,000').waitFor()
  await changing(fixture, async () => fixture.asked.get('leases') > 55, 'the list is kept fresh')
  assert.ok(await drawn() < 200)
  await close()
})
