import { Group, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'
import classes from './order.module.css'

/** A part of a page, with its name and what can be chosen for it. */
export function Panel({ title, side, children }: { readonly title: string; readonly side?: ReactNode; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <Group justify="space-between" mb={8} gap="xs">
        <Title order={2} size="h5" id={id}>{title}</Title>
        {side}
      </Group>
      {children}
    </section>
  )
}
