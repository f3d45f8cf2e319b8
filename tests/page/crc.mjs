// CRC-32 as PNG has it; node has one of its own from 22 on.
const TABLE = Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; ++bit) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n >>> 0
})

export function crc32(bytes) {
  let crc = 0xffffffff
  for (const each of bytes) crc = TABLE[(crc ^ each) & 0xff] ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
