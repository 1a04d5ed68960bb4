import Foundation
import TestSupport
import Testing

/// The servers of others whose configurations are in `deploy/fronts`.
enum Front: String, CaseIterable, CustomTestStringConvertible {
    case nginx, apache, caddy, haproxy, varnish

    var testDescription: String { rawValue }

    /// The servers to start, the last of which faces the reader.
    func launches(_ site: SitePlan) throws -> [ServerProcess.Launch] {
        switch self {
        case .nginx: [try nginx(site)]
        case .apache: [try apache(site)]
        case .caddy: [try caddy(site)]
        case .haproxy: [try files(site), try haproxy(site)]
        case .varnish: [try files(site), try varnish(site)]
        }
    }
}

/// Where a front is to stand: what replaces the placeholders of its configuration.
struct SitePlan {
    /// For configuration, sockets, logs and whatever else a server writes.
    let folder: URL
    /// The folder with the editions.
    let root: URL
    let port: Int
    let gatePort: Int
    /// Placeholders of this site alone, and what replaces them.
    var more: [String: String] = [:]

    /// Writes a configuration of `deploy/fronts` with every placeholder replaced into the folder.
    func install(_ template: String) throws -> URL {
        let source = Self.fronts.appendingPathComponent(template)
        var text = try String(contentsOf: source, encoding: .utf8)
        for (placeholder, value) in placeholders.merging(more, uniquingKeysWith: { $1 }) {
            text = text.replacingOccurrences(of: "@\(placeholder)@", with: value)
        }
        if let left = text.firstMatch(of: /@[A-Z_]+@/) { throw UnknownPlaceholder(name: String(left.output)) }
        return try write(text, to: source.lastPathComponent)
    }

    /// Writes what stands around a configuration on a real machine, such as Debian's own main file.
    func write(_ text: String, to name: String) throws -> URL {
        let file = folder.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file
    }

    struct UnknownPlaceholder: Error {
        let name: String
    }

    private var placeholders: [String: String] {
        [
            "ADDRESS": "127.0.0.1", "PORT": "\(port)", "GATEFOLD": "127.0.0.1:\(gatePort)",
            "GATEFOLD_HOST": "127.0.0.1", "GATEFOLD_PORT": "\(gatePort)", "PUBLICATION": GateUnderTest.publication,
            "ROOT": root.path, "RUN": folder.path, "CONFIG": folder.path, "LOG": folder.path,
        ]
    }

    static let fronts = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("deploy/fronts")
}

/// A file that a Debian package brings. A test that needs it fails without it and names the package.
struct Installed {
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    let path: String

    init(_ path: String, package: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            throw Missing(description: "\(path) is missing; install the Debian package \(package)")
        }
        self.path = path
    }
}
