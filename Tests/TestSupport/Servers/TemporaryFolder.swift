public import Foundation

/// Runs the body with a new, world-readable folder and always removes it afterwards.
///
/// Its path is short, because the path of a Unix socket in it has at most 107 bytes.
public func withTemporaryFolder<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
) async throws -> Result {
    let name = "gatefold-\(UInt32.random(in: .min ... .max))"
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
