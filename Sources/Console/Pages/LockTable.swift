import JSON

/// The counted wrong passwords of a reader as operations return them.
enum LockTable {
    static func of(_ locks: [JSONValue]) -> Table {
        Table(
            "Wrong passwords", ["Identifier", "Failures", "Locked until"],
            locks.map { lock in
                let isLocked = lock["locked_until"]?.text != nil
                return [
                    Cell(lock["identifier"]?.text ?? "the reader, by any identifier"), Shown.cell(lock["failures"]),
                    Cell(
                        isLocked ? Shown.timeText(lock["locked_until"]) : "not locked",
                        symbol: isLocked ? .problem : .good),
                ]
            }, empty: "No wrong passwords are counted.")
    }
}
