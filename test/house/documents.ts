import { dirname, join } from 'node:path/posix'

/** Addresses of relative links of a Markdown text, without what stands in code. */
export function relativeLinks(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target))
}

/**
 * Anchors that a Markdown text offers: those that repository hosts make from its headings, and
 * those that it sets itself with `<a id="...">`.
 */
export function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '')
  const headings = [...prose.matchAll(/^#{1,6} +(.+?) *$/gm)].map((match) =>
    (match[1] ?? '')
      .replace(/<[^>]*>/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  const set = [...prose.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1] ?? '')
  return new Set([...headings, ...set])
}

/** Links of a document that lead nowhere. `readOrNull` gives null for a file that is not there. */
export function brokenLinks(
  path: string,
  text: string,
  readOrNull: (path: string) => string | null,
): string[] {
  return relativeLinks(text).filter((link) => {
    const [file = '', anchor] = link.split('#')
    const target = file === '' ? text : readOrNull(join(dirname(path), file))
    if (target === null) return true
    return anchor !== undefined && !anchorsOf(target).has(anchor)
  })
}

/** Words that only mean something on the machine of a document's author. */
export function localWords(text: string): string[] {
  const patterns = [
    /(?<![\w.-])\/work(?:\/[^\s)`'"]*)?(?![\w-])/g,
    /(?:https?:)?\/\/(?:localhost|127\.0\.0\.1|\[::1\])[^\s)`'"]*(?:npm|registry|pypi|proxy)[^\s)`'"]*/gi,
    /registry\s*=\s*https?:\/\/(?!registry\.npmjs\.org)[^\s)`'"]*/gi,
  ]
  return patterns.flatMap((pattern) => text.match(pattern) ?? [])
}

/** Names in the first column of a table whose rows begin with a name in backticks. */
export function namesInTable(text: string): string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? '').sort()
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Names of what the packages need at run time, without each other. */
export function runtimeDependencies(manifests: readonly string[]): string[] {
  const names = manifests.flatMap((text) => {
    const { dependencies, optionalDependencies } = JSON.parse(text) as Manifest
    return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {})]
  })
  return [...new Set(names)].filter((name) => !name.startsWith('@tollgate/')).sort()
}
