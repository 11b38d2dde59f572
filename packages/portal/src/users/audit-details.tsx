import { Button, Text } from '@mantine/core'
import type { AuditEntry } from '@tollgate/portal-contract/answers/portal-users'
import { useState } from 'react'
import classes from './portal-users.module.css'

/** More values of a list than these are written below each other. */
const FEW_VALUES = 3
/** Longer details are folded: the next entries stay in sight. */
const SHOWN_LINES = 4

/** Values before and after a change next to each other; everything else as it is. */
export function Details({ details }: { readonly details: AuditEntry['details'] }) {
  const { before, after, ...rest } = details
  const others = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  const isChange = before !== undefined || after !== undefined
  if (!isChange && others.length === 0) return null
  return (
    <Text component="p" size="xs" className={classes.details} maw={420}>
      {isChange && (
        <>
          {valueText(before)}{' '}
          {after === undefined ? (
            ''
          ) : (
            <>
              → <strong>{valueText(after)}</strong>
            </>
          )}
          {others.length > 0 && '\n'}
        </>
      )}
      <Folded
        text={others
          .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${valueText(value)}`)
          .join('\n')}
      />
    </Text>
  )
}

function Folded({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false)
  const lines = text.split('\n')
  if (lines.length <= SHOWN_LINES + 1) return text
  return (
    <>
      {(isWhole ? lines : lines.slice(0, SHOWN_LINES)).join('\n')}
      {'\n'}
      <Button
        size="compact-xs"
        variant="subtle"
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? 'Show less' : `Show all ${lines.length} lines`}
      </Button>
    </>
  )
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  return Array.isArray(value)
    ? value.join(value.length > FEW_VALUES ? '\n' : ', ')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value as string | number | boolean)
}
