# cmake -DOUT=FILE.cpp -DFILES="a.schema.json;…" -P schemas.cmake: the schemas as text of a program.
set(rows "")
set(texts "")
set(number 0)
foreach(file ${FILES})
  cmake_path(GET file FILENAME name)
  string(REPLACE ".schema.json" "" name "${name}")
  file(READ ${file} text)
  # No literal may be longer than 64 KiB by the standard, and none needs to.
  string(LENGTH "${text}" length)
  if(length GREATER 60000)
    message(FATAL_ERROR "${file} is too long to embed")
  endif()
  string(APPEND texts "constexpr char kText${number}[] = R\"schema(${text})schema\";\n")
  string(APPEND rows "    {\"${name}\", kText${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT}.new "#include \"broker/ports/http/answers/openapi.hpp\"\n
namespace leasehold {\n\nnamespace {\n\n${texts}
constexpr EmbeddedSchema kSchemas[] = {\n${rows}};\n\n}  // namespace\n
std::span<const EmbeddedSchema> embedded_schemas() {\n  return kSchemas;\n}\n
}  // namespace leasehold\n")
file(RENAME ${OUT}.new ${OUT})
