import { TextlintKernel } from '@textlint/kernel'
import markdownPlugin from '@textlint/textlint-plugin-markdown'
import terminology from 'textlint-rule-terminology'
import type { Passage, PassageKind } from './passages.ts'
import { doubledWord, headlessOpening, sentenceLength, undefinedAbbreviation } from './rules.ts'
import words from './words.json' with { type: 'json' }

/** Grouped: the rule asks for whole words at both ends of a pattern, not of its alternatives. */
const TERMS = words.terms.map(([pattern, better]) => [`(?:${pattern})`, better])

const ABBREVIATIONS = 'undefined-abbreviation'

/** A sentence that breaks a rule of docs/writing.md. */
export interface Finding {
  readonly kind: PassageKind
  readonly line: number
  readonly rule: string
  readonly message: string
}

export interface Linter {
  /** The findings of a file's passages, by line. */
  lint(path: string, passages: readonly Passage[]): Promise<Finding[]>
}

/** A linter that knows the abbreviations of a glossary besides those that every reader knows. */
export function makeLinter(glossary: string): Linter {
  const kernel = new TextlintKernel()
  const known = [...words.abbreviations, ...(glossary.match(/\b[A-Z]{2,}(?=(?:s|es)?\b)/g) ?? [])]
  const options = {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdownPlugin.default }],
    rules: [
      { ruleId: 'sentence-length', rule: sentenceLength },
      { ruleId: 'headless-opening', rule: headlessOpening },
      { ruleId: 'doubled-word', rule: doubledWord },
      { ruleId: ABBREVIATIONS, rule: undefinedAbbreviation(known) },
      {
        ruleId: 'terminology',
        rule: terminology,
        options: { defaultTerms: false, terms: TERMS },
      },
    ],
  }
  return {
    async lint(path, passages) {
      const { text, passageAt } = joined(passages.filter(({ markdown }) => !isFixed(markdown)))
      const { messages } = await kernel.lintText(text, { ...options, filePath: path })
      const findings = messages.map(({ line, ruleId, message }) => {
        const passage = passageAt(line)
        return { kind: passage.kind, line: passage.line, rule: ruleId, message }
      })
      return withoutRepeated(findings.filter(isMeant))
    },
  }
}

/** Comments and messages hold many names of fields and states, which are capitals too. */
function isMeant({ kind, rule }: Finding): boolean {
  return rule !== ABBREVIATIONS || kind === 'document' || kind === 'portal text'
}

/** An abbreviation is explained once a page, so it is reported once. */
function withoutRepeated(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ rule, message }) => {
    if (rule !== ABBREVIATIONS) return true
    return !seen.has(message) && seen.add(message)
  })
}

/** Texts of the payment interface, which are fixed word for word. */
function isFixed(text: string): boolean {
  return (words.fixedTexts as readonly string[]).includes(text)
}

/** One document of all passages, and the origin of each of its lines. */
function joined(passages: readonly Passage[]) {
  const origins: Pick<Passage, 'kind' | 'line'>[] = []
  const texts = passages.map(({ kind, line, markdown }) => {
    const lines = markdown.split('\n')
    lines.forEach((_, at) => origins.push({ kind, line: line + at }))
    origins.push({ kind, line })
    return `${markdown}\n\n`
  })
  return {
    text: texts.join(''),
    passageAt: (line: number) => origins[line - 1] ?? { kind: 'document' as const, line },
  }
}
