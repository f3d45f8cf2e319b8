// A short moving picture of the page with a real broker whose lease flips, as an animated PNG:
//   LEASEHOLD_BIN=build/bin node tests/page/record.mjs FILE.png [--dark]
// and beside it FILE.still.png, its lease after a while. Not a test: it is for people to look at.
import { writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { crc32 } from './crc.mjs'
import { profile } from './browser/browser.mjs'
import { startSite } from './browser/site.mjs'

const [file = 'page.png'] = process.argv.slice(2)
const FRAME_MS = 400
const SIZE = { width: 1000, height: 640 }

const bytes32 = n => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n])
const bytes16 = n => Buffer.from([n >>> 8, n])

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([bytes32(data.length), body, bytes32(crc32(body))])
}

function chunksOf(png) {
  const found = []
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    found.push([png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)])
    at += 12 + length
  }
  return found
}

/// APNG: the frames' data behind each other, each with how long it stands.
function animated(frames) {
  const parts = [frames[0].png.subarray(0, 8), chunk('IHDR', chunksOf(frames[0].png)[0][1]),
    chunk('acTL', Buffer.concat([bytes32(frames.length), bytes32(0)]))]
  let number = 0
  frames.forEach(({ png, ms }, frame) => {
    parts.push(chunk('fcTL', Buffer.concat([bytes32(number++), bytes32(SIZE.width), bytes32(SIZE.height), bytes32(0),
      bytes32(0), bytes16(ms), bytes16(1000), Buffer.from([0, 0])])))
    for (const [type, data] of chunksOf(png)) {
      if (type !== 'IDAT') continue
      parts.push(frame === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([bytes32(number++), data])))
    }
  })
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))])
}

const { order, end } = startSite()
after(end)

test('a recording', async () => {
  const url = await order('url')
  const { open } = await profile({ viewport: SIZE, colorScheme: process.argv.includes('--dark') ? 'dark' : 'light' })
  const page = await open(url)
  const frames = []
  const take = async (count, ms = FRAME_MS) => {
    for (let n = 0; n < count; ++n) {
      frames.push({ png: await page.screenshot(), ms })
      if (n + 1 < count) await page.waitForTimeout(ms)
    }
  }
  await page.locator('.totals').waitFor()
  await take(1, 1500)
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.locator('table.rows a.row').first().waitFor()
  await take(6)
  await page.getByRole('link', { name: 'pool:west' }).click()
  await page.locator('.plot canvas').waitFor()
  await take(12, 1000)
  writeFileSync(file.replace(/\.png$/, '') + '.still.png', frames.at(-1).png)
  await page.getByRole('slider', { name: 'Instant' }).focus()
  for (let n = 0; n < 3; ++n) await page.keyboard.press('ArrowLeft')
  await page.getByText('This is the past:').waitFor()
  await take(1, 2000)
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.getByText('genomics').waitFor()
  await take(1, 1500)
  writeFileSync(file, animated(frames))
})
