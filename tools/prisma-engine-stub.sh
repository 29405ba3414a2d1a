#!/bin/sh
# Prisma's CLI insists on a schema engine binary that it would download. `generate`, `validate` and `format` never
# run it, so any executable does (docs/adr/0004-prisma-without-engines.md).
exit 0
