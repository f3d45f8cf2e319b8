// Makes the page's files a part of the broker: a .cpp that defines embedded_page(), which is
// broker/ports/http/embedded/page_files.hpp's.
//
//   node embed.mjs FOLDER FILE.cpp     FOLDER: what build.mjs made
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' }
const [folder, out] = process.argv.slice(2)
const PER_LINE = 32

function array(name, bytes) {
  const lines = []
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    lines.push('    ' + [...bytes.subarray(at, at + PER_LINE)].join(',') + ',')
  }
  return `constexpr unsigned char ${name}[] = {\n${lines.join('\n')}\n};\n`
}

const paths = ['index.html', ...readdirSync(join(folder, 'assets')).sort().map(name => `assets/${name}`)]
const arrays = []
const rows = []
paths.forEach((path, n) => {
  const bytes = readFileSync(join(folder, path))
  const gzip = gzipSync(bytes, { level: 9 })
  const smaller = gzip.length < bytes.length
  const tag = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  arrays.push(array(`kBytes${n}`, bytes), ...smaller ? [array(`kGzip${n}`, gzip)] : [])
  rows.push(`    {"${path}", "${TYPES[extname(path)]}", "\\"${tag}\\"", text(kBytes${n}), ` +
    `${smaller ? `text(kGzip${n})` : '{}'}, ${path !== 'index.html'}},`)
})

writeFileSync(out, `#include "broker/ports/http/embedded/page_files.hpp"

#include <cstddef>

namespace leasehold {

namespace {

${arrays.join('\n')}
template <std::size_t size>
std::string_view text(const unsigned char (&bytes)[size]) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

std::span<const PageFile> embedded_page() {
  static const PageFile files[] = {
${rows.join('\n')}
  };
  return files;
}

}  // namespace leasehold
`)
