import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { describeReach } from '../../src/backup/log-reach.ts'
import { followLog, readHistory, readSegment, segmentName } from '../../src/backup/log-segments.ts'

const MIB16 = 16 * 2 ** 20
const MIB1 = 2 ** 20

/** The names of segments, written `timeline:number`. */
function named(...segments: readonly string[]): ReadonlySet<string> {
  return new Set(
    segments.map((text) => {
      const [timeline = 0, number = 0] = text.split(':').map(Number)
      return segmentName({ timeline, number }, MIB16)
    }),
  )
}

/** The last segment and the gap, written the same way. */
function follow(names: ReadonlySet<string>, from: number, history = '', newest = 1): string {
  const stretches = readHistory(history, newest, MIB16)
  const { gap, last } = followLog(names, { timeline: 1, number: from }, stretches, MIB16)
  const text = (found: typeof last): string =>
    found === null ? 'none' : `${found.timeline}:${found.number}`
  return `last ${text(last)}, gap ${text(gap)}`
}

suite('the segments of the log', () => {
  test('have the names that PostgreSQL gives them, for every size of a segment', () => {
    const one = { timeline: 1, number: 255 }
    assert.equal(segmentName(one, MIB16), '0000000100000000000000FF')
    assert.equal(segmentName({ timeline: 31, number: 256 }, MIB16), '0000001F0000000100000000')
    assert.equal(segmentName({ timeline: 1, number: 4_096 }, MIB1), '000000010000000100000000')
    assert.deepEqual(readSegment('0000000100000000000000FF', MIB16), one)
    const far = { timeline: 31, number: 4_097 }
    assert.deepEqual(readSegment('0000001F0000000100000001', MIB1), far)
    for (const name of ['00000002.history', '0000000100000000000000FF.partial', '', 'cluster']) {
      assert.equal(readSegment(name, MIB16), null)
    }
  })

  test('are followed up to the last one, and up to a gap that later ones follow', () => {
    assert.equal(follow(named('1:2', '1:3', '1:4'), 2), 'last 1:4, gap none')
    assert.equal(follow(named('1:1', '1:2', '1:4'), 1), 'last 1:2, gap 1:3')
    assert.equal(follow(named('1:3', '1:4'), 2), 'last none, gap 1:2')
    assert.equal(follow(named(), 2), 'last none, gap none')
  })

  test('are followed to the timeline of a restore, past what the abandoned one has behind the fork', () => {
    const history = '1\t0/3000060\tbefore 2026-11-27\n'
    const forked = ['1:2', '1:3', '1:4', '1:5', '2:3', '2:4']
    assert.equal(follow(named(...forked), 2, history, 2), 'last 2:4, gap none')
    assert.equal(follow(named('1:2', '1:3', '1:4', '1:5'), 2, history, 2), 'last 1:3, gap none')
    assert.equal(follow(named('1:2', '2:3', '2:5'), 2, history, 2), 'last 2:3, gap 2:4')
  })
})

test('a restore can choose among moments only when later log than that of the copy is archived', () => {
  const end = '2026-11-28T11:58:18.551Z'
  assert.match(describeReach(end, '2026-11-28T11:58:18.055Z'), /^A restore can reach \S+551Z; /)
  assert.match(describeReach(end, null), /^A restore can reach \S+551Z; /)
  assert.match(describeReach(end, '2026-11-28T11:59:00.000Z'), /from \S+551Z to \S+59:00\.000Z\.$/)
})
