package import Foundation

/// A function that waits for the given number of seconds, or throws as soon as the task is cancelled. It is
/// injected so that tests need not wait.
package typealias Sleep = @Sendable (TimeInterval) async throws -> Void
