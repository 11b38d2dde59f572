import type pg from 'pg'

/**
 * Analyzes tables that had few rows at their last analysis or vacuum and have some hundred now.
 * PostgreSQL then plans their statements again.
 */
export async function analyzeFilledTables(pool: pg.Pool): Promise<void> {
  await pool.query({ name: 'analyze filled tables', text: 'select analyze_filled_tables()' })
}
