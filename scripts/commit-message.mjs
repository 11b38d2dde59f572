// The rules for messages of commits. Plain JavaScript without a dependency, since git runs it
// with any Node that is on the path.

import { readFileSync } from 'node:fs'

/** Words that documents do not use either, each with its replacement. */
const { terms: TERMS } = JSON.parse(
  readFileSync(new URL('../tools/prose-lint/words.json', import.meta.url), 'utf8'),
)
const SUBJECT_MAX = 72
/** Git writes these by itself, or a rebase melts them into other commits before a review. */
const LET_THROUGH = /^(Merge |Revert "|fixup! |squash! |amend! )/
const TRAILER = /^[A-Z][A-Za-z-]+-[Bb]y: |^(Refs|Fixes|Closes): /
/** Openings of a subject that states what was done, or what is so, rather than what to do. */
const NOT_A_VERB =
  /^(a|an|one|two|the|this|that|these|those|all|any|each|every|no|nobody|nothing|it|its|is|are|was|what|who|which|when|where|more|some|new|my|our|we|i)$/
const NOT_IMPERATIVE = /(ing|ed|[^sui]s)$/
const STILL_IMPERATIVE =
  /^(bring|ring|string|swing|cling|fling|bed|embed|exceed|feed|heed|need|proceed|seed|shed|shred|speed|succeed|weed|wed)$/

/** A sentence for each thing that is wrong with a message; none where it may be committed. */
export function faultsOfMessage(text) {
  const lines = written(text)
  const [subject = '', second = '', ...rest] = lines
  if (LET_THROUGH.test(subject)) return []
  const body = [second, ...rest].filter((line) => line.trim() !== '' && !TRAILER.test(line))
  return [
    ...faultsOfSubject(subject),
    ...(second === '' ? [] : ['The second line is not empty: it parts the subject from the body.']),
    ...(body.length > 0 ? [] : ['There is no body: say why, and how it was seen failing.']),
  ]
}

function faultsOfSubject(subject) {
  const [, change = null] = /^[a-z0-9][a-z0-9-]*(?: [a-z0-9-]+)*: (\S.*)$/.exec(subject) ?? []
  if (change === null) {
    return [`The subject is not of the form "area: what changes", area in lower case: ${subject}`]
  }
  const verb = /^[A-Za-z-]+/.exec(change)?.[0] ?? ''
  const isImperative =
    /^[a-z]/.test(verb) &&
    !NOT_A_VERB.test(verb) &&
    (!NOT_IMPERATIVE.test(verb) || STILL_IMPERATIVE.test(verb))
  return [
    ...(isImperative ? [] : [`The change does not begin with a verb in the imperative: ${change}`]),
    ...(subject.length <= SUBJECT_MAX
      ? []
      : [`The subject has ${subject.length} characters; at most ${SUBJECT_MAX} are read.`]),
    ...(/[.!]$/.test(subject) ? ['The subject ends with a stop.'] : []),
    ...TERMS.flatMap(([pattern, replacement]) => {
      const found = new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, 'i').exec(subject)?.[0]
      return found === undefined ? [] : [`Instead of "${found}", write: ${replacement}.`]
    }),
  ]
}

/** The author's text: without git's comments, and without the diff that `commit -v` shows. */
function written(text) {
  const [own = ''] = text.split(/^# -+ >8 -+$/m)
  const lines = own.split(/\r?\n/).filter((line) => !line.startsWith('#'))
  while (lines.length > 0 && lines[0].trim() === '') lines.shift()
  return lines
}
