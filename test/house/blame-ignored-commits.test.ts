import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { test } from 'node:test'
import { read, root } from './source-text.ts'

/** The output of git, without the line end; null where git fails. */
function git(...words: readonly string[]): string | null {
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** Why the commits cannot be looked up; null where the whole history is here. */
function whyNoHistory(): string | null {
  const top = git('rev-parse', '--show-toplevel')
  if (top === null || realpathSync(top) !== realpathSync(root)) {
    return 'NOT CHECKED: this folder is no checkout of git'
  }
  return git('rev-parse', '--is-shallow-repository') === 'true'
    ? 'NOT CHECKED: this clone is shallow; run git fetch --unshallow'
    : null
}

/** The subject of a commit that HEAD has among its ancestors; null for every other text. */
function subjectOf(hash: string): string | null {
  return git('merge-base', '--is-ancestor', hash, 'HEAD') === null
    ? null
    : git('log', '-1', '--format=%s', hash)
}

/** The faults of a list of commits, each below a comment with its subject. */
function faultsOf(list: string, subject: (hash: string) => string | null): string[] {
  const lines = list.split('\n')
  return lines.flatMap((line, place) => {
    if (line === '' || line.startsWith('#')) return []
    if (!/^[0-9a-f]{40}$/.test(line)) return [`${line}: not the whole hash of a commit`]
    const found = subject(line)
    if (found === null) return [`${line}: not in the history`]
    return lines[place - 1] === `# ${found}` ? [] : [`${line}: its subject is not above it`]
  })
}

test('every commit that .git-blame-ignore-revs names is in the history, by its subject', (t) => {
  const reason = whyNoHistory()
  if (reason !== null) {
    process.stderr.write(`${reason}\n`)
    return t.skip(reason)
  }
  const list = read('.git-blame-ignore-revs')
  assert.ok(list.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line)).length >= 9)
  assert.deepEqual(faultsOf(list, subjectOf), [])
})

test('the guard bites: a short hash, an unknown commit and a wrong subject', () => {
  const [known, unknown] = ['a'.repeat(40), 'b'.repeat(40)]
  const list = `# A list\n\n# move files\n${known}\n# move more\n${known}\n${unknown}\naaaaaaa\n`
  assert.deepEqual(
    faultsOf(list, (hash) => (hash === known ? 'move files' : null)),
    [
      `${known}: its subject is not above it`,
      `${unknown}: not in the history`,
      'aaaaaaa: not the whole hash of a commit',
    ],
  )
})
