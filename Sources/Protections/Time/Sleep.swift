package import Foundation

/// Waits so many seconds, or throws as soon as the waiting task is cancelled; passed in, so that tests need not wait.
package typealias Sleep = @Sendable (TimeInterval) async throws -> Void
