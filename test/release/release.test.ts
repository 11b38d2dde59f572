import { rmSync } from 'node:fs'
import { after } from 'node:test'
import { testArchive } from './archive-tests.ts'
import { testContainer } from './container-tests.ts'
import { testDebianPackage } from './debian-tests.ts'
import { makeRelease } from './made-release.ts'

// One release for all tests of it, because it takes longer to make than to test.
if (process.platform === 'linux') {
  const release = makeRelease()
  after(() =>
    rmSync(release.outer, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  )
  testArchive(release)
  testContainer(release)
  testDebianPackage(release)
}
