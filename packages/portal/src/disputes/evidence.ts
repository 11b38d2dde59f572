import type { EvidenceLimits } from '@tollgate/portal-contract/answers/disputes'

/** `1.2 MB`: a size as people read it. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Why a file cannot be evidence, before it is sent; null if it can. */
export function fileFault(
  { name, size, type }: Pick<File, 'name' | 'size' | 'type'>,
  { fileBytes, types }: EvidenceLimits,
): string | null {
  if (size > fileBytes) {
    return `${name} has ${bytesText(size)}. A file may have at most ${bytesText(fileBytes)}.`
  }
  // A browser that does not know the type leaves it empty; the gateway reads the content.
  if (type !== '' && !types.includes(type)) {
    return `${name} is neither PDF, PNG, JPEG nor plain text.`
  }
  return null
}

/** The content of a file as base64. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => {
      const text = typeof reader.result === 'string' ? reader.result : ''
      resolve(text.slice(text.indexOf(',') + 1))
    })
    reader.addEventListener('error', () => reject(new Error('The file cannot be read.')))
    reader.readAsDataURL(file)
  })
}
