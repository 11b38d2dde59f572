/**
 * The program cannot start or continue, for a reason that the operator can correct. The
 * message is one or more whole sentences, printed as they stand, without a stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The message of an error, with a full stop. */
export function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.endsWith('.') ? text : `${text}.`
}

/** Turns a refused file operation into a sentence that names the folder and the way out. */
export function folderError(folder: string, error: unknown): StartupError {
  const { code } = error as NodeJS.ErrnoException
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission is denied',
    EPERM: 'permission is denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    ENOENT: 'its file system makes no folders there',
    ENOTDIR: 'a part of its path is not a folder',
    EEXIST: 'a file is in its place',
  }
  const reason = reasons[code ?? ''] ?? (error instanceof Error ? error.message : String(error))
  return new StartupError(
    `The data folder ${folder} cannot be written (${reason}): ` +
      'make it writable for the user that runs this, or set DATA_DIR to another folder.',
  )
}
