import Foundation
import TestSupport
import Testing

/// The servers of other vendors that `deploy/fronts` configures.
enum Front: String, CaseIterable, CustomTestStringConvertible {
    case nginx, apache, caddy, haproxy, varnish

    var testDescription: String { rawValue }

    /// Returns the servers to start. The last one faces the reader.
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

/// The location of a front: the values of its configuration's placeholders.
struct SitePlan {
    /// The folder for configuration, sockets, logs and other files of a server.
    let folder: URL
    /// The folder with the editions.
    let root: URL
    let port: Int
    let gatePort: Int
    /// Additional placeholders of this site and their values.
    var more: [String: String] = [:]

    /// Writes a configuration of `deploy/fronts` into the folder with every placeholder replaced.
    func install(_ template: String) throws -> URL {
        let source = Self.fronts.appendingPathComponent(template)
        var text = try String(contentsOf: source, encoding: .utf8)
        for (placeholder, value) in placeholders.merging(more, uniquingKeysWith: { $1 }) {
            text = text.replacingOccurrences(of: "@\(placeholder)@", with: value)
        }
        if let left = text.firstMatch(of: /@[A-Z_]+@/) { throw UnknownPlaceholder(name: String(left.output)) }
        return try write(text, to: source.lastPathComponent)
    }

    /// Writes the surrounding configuration of a real machine, such as Debian's main file.
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
            "GATEFOLD_HOST": "127.0.0.1", "GATEFOLD_PORT": "\(gatePort)", "PUBLICATION": GateHarness.publication,
            "ROOT": root.path, "RUN": folder.path, "CONFIG": folder.path, "LOG": folder.path,
        ]
    }

    static let fronts = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("deploy/fronts")
}

/// A file of a Debian package. A test that needs it fails without it and names the package.
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
