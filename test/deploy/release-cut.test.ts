import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
// @ts-expect-error -- plain JavaScript, which git runs as it is
import { faultsOfMessage } from '../../scripts/commit-message.mjs'
import { cutRelease, RefusedCut } from '../../tools/release/cut.ts'
import { root } from '../house/source-text.ts'

const VERSION = '7.8.9'
const EPOCH = 1_800_000_000
const DAY = '2027-01-15'

suite('a release that is cut', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-cut-'))
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' }).trim()
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8')
  const version = (file: string): unknown => JSON.parse(text(file)).version
  let built: { readonly epoch: number; readonly version: unknown }[] = []

  /** Notes what a build would see; the real build has tests of its own. */
  function build(epoch: number): void {
    built.push({ epoch, version: version('packages/gateway/package.json') })
  }

  function cut(wanted = VERSION, made: (epoch: number) => void = build): void {
    cutRelease({ checkout: folder, version: wanted, epoch: EPOCH, build: made })
  }

  before(() => {
    const list = ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
    const files = execFileSync('git', list, { encoding: 'utf8' }).split('\0')
    const used =
      /^(?:CHANGELOG\.md|package(?:-lock)?\.json|sbom\.cdx\.json|deploy\/|packages\/[^/]+\/(?:package\.json|README\.md)$)/
    for (const file of files.filter((one) => used.test(one))) {
      cpSync(join(root, file), join(folder, file), { recursive: true })
      assert.ok(dirname(file) !== '')
    }
    git('init', '--quiet', '--initial-branch=main')
    git('config', 'user.name', 'A releaser')
    git('config', 'user.email', 'releaser@example.test')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'start')
  })
  beforeEach(() => {
    built = []
    git('reset', '--quiet', '--hard', git('rev-list', '--max-parents=0', 'HEAD'))
    for (const tag of git('tag')
      .split('\n')
      .filter((one) => one !== ''))
      git('tag', '--delete', tag)
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  test('has the version in every manifest, in the bill of materials, the image and the chart', () => {
    cut()
    const packages = git('ls-files', 'packages/*/package.json').split('\n')
    assert.ok(packages.length > 5)
    for (const file of ['package.json', 'package-lock.json', ...packages]) {
      assert.equal(version(file), VERSION, file)
      assert.doesNotMatch(text(file), /"@tollgate\/[a-z0-9-]+": "(?!7\.8\.9")/, file)
    }
    assert.match(text('sbom.cdx.json'), /"purl": "pkg:npm\/tollgate@7\.8\.9"/)
    assert.match(
      text('deploy/helm/tollgate/Chart.yaml'),
      /^version: 7\.8\.9\nappVersion: 7\.8\.9$/m,
    )
    assert.match(text('deploy/compose/compose.yaml'), /tollgate:7\.8\.9\}/)
    assert.match(text('deploy/container/Dockerfile'), /-t tollgate:7\.8\.9 /)
    assert.match(text('packages/client/README.md'), /tollgate-client-7\.8\.9\.tgz/)
    assert.equal(git('status', '--porcelain'), '')
  })

  test('turns the unreleased changes of the changelog into a section with its date', () => {
    const [, before = ''] = text('CHANGELOG.md').split('## Unreleased\n')
    cut()
    assert.ok(text('CHANGELOG.md').includes(`## Unreleased\n\n## ${VERSION} (${DAY})\n${before}`))
    assert.doesNotMatch(text('CHANGELOG.md'), /Nothing has been released/)
  })

  test('is built before the commit, with the time of the commit', () => {
    cut(VERSION, (epoch) => {
      build(epoch)
      assert.equal(git('rev-list', '--count', 'HEAD'), '1')
    })
    assert.deepEqual(built, [{ epoch: EPOCH, version: VERSION }])
    assert.equal(git('log', '-1', '--format=%ct'), String(EPOCH))
  })

  test('has an annotated tag with the changes, on a commit that keeps the rules', () => {
    cut()
    assert.equal(git('rev-parse', `v${VERSION}^{commit}`), git('rev-parse', 'HEAD'))
    assert.equal(git('cat-file', '-t', `v${VERSION}`), 'tag')
    assert.match(git('tag', '--list', '--format=%(contents)', `v${VERSION}`), /^### Added$/m)
    assert.deepEqual(faultsOfMessage(git('log', '-1', '--format=%B')), [])
  })

  test('leaves no commit, no tag and no change when the build fails', () => {
    const fail = (): never => {
      throw new Error('no room on the disk')
    }
    assert.throws(() => cut(VERSION, fail), /no room on the disk/)
    assert.equal(git('rev-list', '--count', 'HEAD'), '1')
    assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', ''])
  })

  test('is refused for a text that is no version, a tag that is taken, and a changed checkout', () => {
    assert.throws(() => cut('1.2'), { name: 'Error', message: /^The version is "1\.2"; expected/ })
    git('tag', `v${VERSION}`)
    assert.throws(cut, /^Error: The tag v7\.8\.9 is there already/)
    writeFileSync(join(folder, 'stray.txt'), 'stray')
    assert.throws(() => cut('7.9.0'), RefusedCut)
    rmSync(join(folder, 'stray.txt'))
    assert.deepEqual(built, [])
  })

  test('is refused when nothing is unreleased', () => {
    cut()
    assert.throws(() => cut('7.9.0'), /CHANGELOG\.md has nothing under "Unreleased" to release\./)
    assert.equal(git('tag'), `v${VERSION}`)
  })
})
