import type { TextlintRuleModule, TextlintRuleReporter } from '@textlint/kernel'
import { sentencesOf, type TextNode, wordCount } from './sentences.ts'

const MAX_WORDS = 25

type Context = Parameters<TextlintRuleReporter>[0]
type AnyNode = NonNullable<Parameters<Context['getSource']>[0]>

/** Reports sentences of paragraphs and headings; those of a table's cells only where asked to. */
function sentenceRule(
  fault: (sentence: string) => string | null,
  { cells }: { readonly cells: boolean },
): TextlintRuleModule {
  return (context) => {
    const { Syntax, RuleError, report, getSource } = context
    const check = (node: AnyNode) => {
      for (const { text, index } of sentencesOf(node as TextNode, getSource(node))) {
        const message = fault(text)
        if (message !== null) report(node, new RuleError(message, { index }))
      }
    }
    return {
      [Syntax.Paragraph]: check,
      [Syntax.Header]: check,
      ...(cells ? { [Syntax.TableCell]: check } : {}),
    }
  }
}

/** At most 25 words. A cell of a table holds phrases, so its length is not counted. */
export const sentenceLength = sentenceRule(
  (sentence) => {
    const words = wordCount(sentence)
    if (words <= MAX_WORDS) return null
    return `${words} words, and ${MAX_WORDS} allowed: ${beginning(sentence)}`
  },
  { cells: false },
)

function beginning(sentence: string): string {
  return sentence.length <= 70 ? sentence : `${sentence.slice(0, 67)}...`
}

const HEADLESS = /^(who|what|whoever|whatever|whom|whose|where|that)\b/i
/** Openings that are no clause: "Where possible", and "That is why". */
const WITH_A_HEAD = [
  /^where (possible|needed|necessary|applicable|appropriate|available)\b/i,
  /^that (?!(a|an|the|it|they|we|you|no|nothing|this|its|their|both|every|each|some)\b)/i,
]

export function isHeadless(sentence: string): boolean {
  const opening = sentence.replace(/^[^\p{L}\p{N}]+/u, '')
  return (
    HEADLESS.test(opening) &&
    !WITH_A_HEAD.some((each) => each.test(opening)) &&
    !sentence.includes('?')
  )
}

/** A sentence begins with its actor, and not with a clause in the place of one. */
export const headlessOpening = sentenceRule(
  (sentence) => {
    if (!isHeadless(sentence)) return null
    return `begin with the actor or the noun: ${beginning(sentence)}`
  },
  { cells: false },
)

/** The same word twice. Numbers, and words that a hyphen joins, may repeat. */
export const doubledWord = sentenceRule(
  (sentence) => {
    const word = /(?<![\w'’-])([A-Za-z]+) +\1(?![\w'’-])/i.exec(sentence)?.[1]
    return word === undefined || /^[A-Z]+$/.test(word) ? null : `The word "${word}" is there twice.`
  },
  { cells: true },
)

/**
 * Abbreviations that the page does not spell out. `explained` are those of the glossary, and those
 * that every reader knows.
 */
export function undefinedAbbreviation(explained: readonly string[]): TextlintRuleModule {
  return ({ Syntax, RuleError, report, getSource }) => {
    const known = new Set(explained)
    return {
      [Syntax.Document](node) {
        for (const each of spelledOut(getSource(node))) known.add(each)
      },
      [Syntax.Str](node) {
        for (const { abbreviation, index } of abbreviationsIn(getSource(node))) {
          if (known.has(abbreviation)) continue
          const message = `spell out "${abbreviation}" once, or add it to the glossary`
          report(node, new RuleError(message, { index }))
        }
      },
    }
  }
}

/** Two to five capitals. Longer runs, and those with `_` or a digit, are names of fields. */
function abbreviationsIn(text: string): { abbreviation: string; index: number }[] {
  const pattern = /(?<![\w.$/'"=-])([A-Z]{2,5})(?:s|es)?(?![\w=(/'"]|-\d|\.\w)/g
  return [...text.matchAll(pattern)].map((match) => ({
    abbreviation: match[1] ?? '',
    index: match.index,
  }))
}

/** "store and forward (SAF)" and "SAF (store and forward)". */
function spelledOut(text: string): string[] {
  const patterns = [/[a-z*] \(\**([A-Z]{2,})s?\**[),;]/g, /\b([A-Z]{2,})\** \([A-Za-z]+ [a-z]/g]
  return patterns.flatMap((each) => [...text.matchAll(each)].map((match) => match[1] ?? ''))
}
