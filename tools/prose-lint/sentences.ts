import { split } from 'sentence-splitter'

/** A node of a Markdown text, as the parser of textlint gives it. */
export interface TextNode {
  readonly type: string
  readonly range: readonly [start: number, end: number]
  readonly children?: readonly TextNode[]
}

/** A sentence of a block of Markdown. Code in it is a row of zeros, which counts as one word. */
export interface Sentence {
  readonly text: string
  /** Its offset from the start of the block. */
  readonly index: number
}

/** The sentences of a paragraph or a heading, given its node and its Markdown. */
export function sentencesOf(block: TextNode, source: string): Sentence[] {
  const text = plainText(block, source)
  return split(text)
    .filter(({ type }) => type === 'Sentence')
    .map(({ raw, range }) => {
      const own = raw.trimStart()
      return { text: own.trimEnd(), index: range[0] + raw.length - own.length }
    })
}

/** The text of a block, as long as its source, so that positions in both are the same. */
function plainText(block: TextNode, source: string): string {
  const kept = [...' '.repeat(source.length)]
  const visit = (node: TextNode): void => {
    const from = node.range[0] - block.range[0]
    const to = node.range[1] - block.range[0]
    if (node.type === 'Str') for (let at = from; at < to; at += 1) kept[at] = source[at] ?? ' '
    if (node.type === 'Code') kept.fill('0', from, to)
    for (const child of node.children ?? []) visit(child)
  }
  visit(block)
  return kept.join('').replaceAll(/[\n\r]/g, ' ')
}

/** Words of a sentence: runs of signs between spaces that hold a letter or a digit. */
export function wordCount(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
