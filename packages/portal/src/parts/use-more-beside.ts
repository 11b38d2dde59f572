import { useCallback, useEffect, useState } from 'react'

/** Pixels that a scrolled element may miss at its end, by rounding. */
const ROUNDING = 2

/** Whether a box that scrolls sideways has content beyond its right edge. */
export function useMoreBeside() {
  const [box, viewport] = useState<HTMLDivElement | null>(null)
  const [hasMore, setHasMore] = useState(false)
  const measure = useCallback(() => {
    if (box === null) return
    setHasMore(box.scrollWidth - box.clientWidth - box.scrollLeft > ROUNDING)
  }, [box])
  useEffect(() => {
    if (box === null) return undefined
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    // The table: rows and columns come later than the box.
    const table = box.querySelector('table')
    if (table !== null) observer.observe(table)
    return () => observer.disconnect()
  }, [box, measure])
  return { viewport, hasMore, measure }
}
