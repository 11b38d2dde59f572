import { Select } from '@mantine/core'

interface OneOrAnyProps {
  readonly label: string
  readonly width: number
  /** The choice that filters nothing. */
  readonly any: string
  readonly options: readonly string[]
  readonly chosen: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A filter by one of several values. A value of the address is shown, even if it is no option. */
export function OneOrAny({ any, chosen, label, onChange, options, width }: OneOrAnyProps) {
  const values = chosen === undefined || options.includes(chosen) ? options : [chosen, ...options]
  return (
    <Select
      label={label}
      w={width}
      data={[{ value: '', label: any }, ...values]}
      value={chosen ?? ''}
      onChange={(value) => onChange(value === null || value === '' ? undefined : value)}
      allowDeselect={false}
    />
  )
}
