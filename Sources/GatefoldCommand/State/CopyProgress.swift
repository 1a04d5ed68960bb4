import Foundation
import State

/// The progress of a copy of a state on the terminal.
enum CopyProgress {
    /// Shows a bar during a copy if the standard error is a terminal.
    static func showing<Value>(
        _ copy: (@escaping @Sendable (StateCopy.Progress) -> Void) async throws -> Value
    ) async throws -> Value {
        let bar = ProgressBar(isShown: isatty(STDERR_FILENO) == 1)
        defer { bar.clear() }
        return try await copy { bar.show($0.total == 0 ? 1 : Double($0.rows) / Double($0.total), $0.table) }
    }
}
