/** Server settings by name, given on the command line, where they win over any file. */
export type PostgresSettings = Readonly<Record<string, string>>

/** Quoted so that a folder with spaces, commas or quotes in its name is one entry of the list. */
function listEntry(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}

/**
 * The embedded server has no network and full durability. Its log cannot hold a statement's
 * values, which may be card data, even if encrypted.
 */
export function serverSettings(
  socketDir: string,
  changes: PostgresSettings = {},
): PostgresSettings {
  return {
    listen_addresses: '',
    unix_socket_directories: listEntry(socketDir),
    unix_socket_permissions: '0700',
    port: '5432',
    // The supervisor replaces the settings of size by those of machine-settings.ts.
    max_connections: '400',

    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',

    shared_buffers: '128MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    huge_pages: 'off',
    // Fewer, longer spread checkpoints: each one makes the next write of every page a full one.
    checkpoint_timeout: '15min',
    checkpoint_completion_target: '0.9',
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    wal_compression: 'on',
    random_page_cost: '1.1',
    jit: 'off',

    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    // An error message can quote a value. The client gets the error, and masks its own log.
    log_min_messages: 'log',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
    ...changes,
  }
}

/**
 * Arguments for a new cluster: access only through the private socket, and text sorted by code
 * point on every machine. The built-in C.UTF-8 came with PostgreSQL 17; before it, the C library's.
 */
export function initdbArgs(clusterDir: string, user: string, major: number): string[] {
  const locale =
    major >= 17
      ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
      : ['--locale=C.UTF-8']
  return [
    `--pgdata=${clusterDir}`,
    `--username=${user}`,
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--data-checksums',
    '--no-instructions',
    ...locale,
  ]
}
