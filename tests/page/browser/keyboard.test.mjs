// Everything by keyboard alone: from the skip link to a lease and back, with the focus always seen.
import assert from 'node:assert/strict'
import test from 'node:test'
import { accessible, fixtureOf, pointedAt, until, watched } from './browser.mjs'

const focused = page => page.evaluate(() => {
  const { activeElement: at } = document
  const style = getComputedStyle(at)
  return { text: at.textContent.trim().slice(0, 40), tag: at.tagName, id: at.id,
    row: Number(at.closest('tr')?.dataset.row ?? -1),
    seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1 }
})

test('a walk by keyboard', async () => {
  const fixture = await fixtureOf({ leases: 500 })
  const { open, close } = await watched()
  const page = await open(fixture.url)
  await page.locator('.live', { hasText: 'live' }).waitFor()
  await page.keyboard.press('Tab')
  assert.match((await focused(page)).text, /^Skip to/)
  await page.keyboard.press('Enter')
  await until(async () => (await focused(page)).id === 'main', 'what is shown has the focus')

  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await accessible(page, 'keys')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })

  // Two keys are one order only if the second comes soon: a busy machine needs another try.
  await until(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    return page.url().includes('#/leases')
  }, 'the keys lead to the leases')
  await page.locator('table.rows a.row').first().waitFor()
  await page.keyboard.press('f')
  await until(async () => (await focused(page)).tag === 'INPUT', 'the search has the focus')
  for (let n = 0; n < 40 && (await focused(page)).row < 0; ++n) {
    await page.keyboard.press('Tab')
    assert.ok((await focused(page)).seen, `the focus is not seen on ${(await focused(page)).text}`)
  }
  const row = async n => until(async () => (await focused(page)).row === n, `row ${n} has the focus`)
  await row(0)
  await page.keyboard.press('ArrowDown')
  await row(1)
  await page.keyboard.press('End')
  await row(499)
  await page.keyboard.press('ArrowUp')
  await row(498)
  await page.keyboard.press('Home')
  await row(0)
  await page.keyboard.press('ArrowDown')
  await row(1)
  const { text } = await focused(page)
  await page.keyboard.press('Enter')
  await page.locator('h1', { hasText: text }).waitFor()

  await page.locator('.plot canvas').waitFor()
  await pointedAt(page, ' uses ')
  await page.keyboard.press('u')
  await page.getByRole('button', { name: 'Times in UTC' }).waitFor()
  await close()
})

test('colours and zone are switched, and kept for other tabs', async () => {
  const fixture = await fixtureOf()
  const { open, close } = await watched()
  const page = await open(fixture.url, { colorScheme: 'dark' })
  const background = of => of.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const dark = await background(page)
  await page.getByRole('button', { name: /^Colours/ }).click()
  await until(async () => await background(page) !== dark, 'it is light')
  const light = await background(page)
  const other = await open(fixture.url, { colorScheme: 'dark' })
  await until(async () => await background(other) === light, 'another tab is light, too')
  await page.getByRole('button', { name: /^Colours/ }).click()
  await until(async () => await background(other) === dark, 'the other tab is dark, too')
  await close()
})
