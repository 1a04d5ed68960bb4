import Foundation
import TestSupport

/// A running front with sample editions.
struct Site: Sendable {
    static let editions = ["ed-1", "ed-2", GateHarness.freeEdition]
    static let prefix = "/content/\(GateHarness.publication)/"

    let http: RawHTTP
    let plan: SitePlan

    /// Returns all logs of the front's servers so far: their output and the files in the folder.
    func logs() throws -> String {
        try FileManager.default.contentsOfDirectory(at: plan.folder, includingPropertiesForKeys: nil)
            .filter { ["out", "log"].contains($0.pathExtension) }
            .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined(separator: "\n")
    }

    /// Returns the request target of a file on the shelf with strict escaping.
    static func target(_ path: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        return prefix + (path.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
    }

    func get(_ path: String, _ fields: [(String, String)] = []) async throws -> RawResponse {
        try await http.send("GET", Self.target(path), fields)
    }
}

/// Runs the body with a front that queries the gate on the given port, and stops its servers afterwards.
func withSite(
    _ front: Front, requesting gatePort: Int, _ body: @Sendable (Site) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let root = folder.appendingPathComponent("editions")
        _ = try EditionStore(in: root, editions: Site.editions)
        let plan = SitePlan(folder: folder, root: root, port: try FreePort.find(), gatePort: gatePort)
        try await withServers(try front.launches(plan)) { _ in
            try await body(Site(http: RawHTTP(port: plan.port), plan: plan))
        }
    }
}

/// Runs the body with a front and a working gate behind it.
func withSite(_ front: Front, _ body: @Sendable @escaping (Site) async throws -> Void) async throws {
    try await withGate { gate in
        try await withSite(front, requesting: gate.port, body)
    }
}
