import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { notesOf, withSection } from './changelog.ts'
import { isVersion, setVersion } from './versions.ts'

/** A release to be cut. */
export interface Cut {
  readonly checkout: string
  readonly version: string
  /** Seconds since 1970: the time of the commit, and of every file in the release. */
  readonly epoch: number
  /** Makes the files of the release, from the checkout as it then is. */
  build(epoch: number): void
}

/** A reason to cut nothing, as sentences for the person who asked. */
export class RefusedCut extends Error {}

/**
 * Cuts a release: sets the version and the section of the changelog, builds everything, then
 * commits and tags. A build that fails leaves no commit and no tag, and the checkout as it was.
 * @throws RefusedCut for a version that is none or is taken, and for a checkout with changes
 */
export function cutRelease({ checkout, version, epoch, build }: Cut): void {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', checkout, ...args], {
      encoding: 'utf8',
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: `${epoch} +0000`,
        GIT_COMMITTER_DATE: `${epoch} +0000`,
      },
    }).trim()
  const tag = `v${version}`
  if (!isVersion(version)) {
    throw new RefusedCut(`The version is "${version}"; expected one such as 0.1.0 or 0.2.0-rc.1.`)
  }
  const changes = git('status', '--porcelain')
  if (changes !== '') {
    throw new RefusedCut(`The checkout has changes; commit or remove them first:\n${changes}`)
  }
  if (git('tag', '--list', tag) !== '') {
    throw new RefusedCut(`The tag ${tag} is there already; choose another version.`)
  }
  const file = join(checkout, 'CHANGELOG.md')
  try {
    const day = new Date(epoch * 1000).toISOString().slice(0, 10)
    writeFileSync(file, withSection(readFileSync(file, 'utf8'), version, day))
    setVersion(checkout, version)
    build(epoch)
    git('commit', '--all', '--no-verify', '--message', messageOf(version))
  } catch (error) {
    git('reset', '--hard', '--quiet', 'HEAD')
    throw error
  }
  const notes = `Tollgate ${version}\n\n${notesOf(readFileSync(file, 'utf8'), version)}`
  // Headings of the changelog begin with a character that git takes for a comment.
  git('tag', '--annotate', '--cleanup=whitespace', '--message', notes, tag)
}

function messageOf(version: string): string {
  return (
    `release: set the version to ${version}\n\n` +
    'The section of the changelog has its date, and manifests, image, Compose file\n' +
    'and chart name the version. The files of the release were built from this tree.\n'
  )
}
