// `npm run sbom`: writes sbom.cdx.json from package-lock.json.
import { writeFileSync } from 'node:fs'
import { readLockfile } from './lockfile.ts'
import { writtenSbom } from './sbom.ts'

const root = new URL('../../', import.meta.url)
writeFileSync(
  new URL('sbom.cdx.json', root),
  writtenSbom(readLockfile(new URL('package-lock.json', root))),
)
