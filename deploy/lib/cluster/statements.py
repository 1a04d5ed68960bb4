"""Counts the statements that PostgreSQL executes, and finds those whose number grows with the load."""

import dataclasses
import json

QUERY = """
SELECT json_object_agg(query, calls) FROM (
    SELECT regexp_replace(query, '\\s+', ' ', 'g') AS query, sum(calls) AS calls
    FROM pg_stat_statements JOIN pg_roles ON pg_roles.oid = userid WHERE rolname = 'gatefold' GROUP BY 1) AS counted
"""


def counts(server):
    """Returns the number of executions of each statement of the nodes."""
    return json.loads(server.execute(QUERY) or "{}")


def difference(before, after):
    return {query: calls - before.get(query, 0) for query, calls in after.items() if calls > before.get(query, 0)}


@dataclasses.dataclass
class Growth:
    """A statement that is executed more often under load than in an equal time without."""
    query: str
    idle: int
    loaded: int


def growing(idle, loaded):
    """Returns the statements that grow with the load, of two equal times. Each node reports and polls every half second to five
    seconds, so that two equal times differ by a few executions of each statement."""
    return [Growth(query, idle.get(query, 0), calls) for query, calls in sorted(loaded.items())
            if calls - idle.get(query, 0) > max(4, 0.1 * idle.get(query, 0))]


def per_thousand(growths, decisions):
    """Returns the executions that the load added, for a thousand decisions."""
    return sum(growth.loaded - growth.idle for growth in growths) / decisions * 1000
