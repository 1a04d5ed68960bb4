import Foundation
import Gatefold
import Primitives

/// The file with the identity of a node, in the node's folder. A restarted node is the same node for the others, which
/// therefore do not leave its share of the limits to a lost one.
struct NodeIdentityFile {
    let path: String

    /// - Parameter folder: The folder of the node's own files.
    init(folder: String) { path = URL(fileURLWithPath: folder).appending(path: "node-id").path }

    /// Returns the identity. Creates it if there is none, or if the file was copied from another machine.
    ///
    /// - Parameter host: The name of this machine.
    func id(onHost host: String, random: RandomSource) throws -> [UInt8] {
        if let text = try? String(contentsOfFile: path, encoding: .utf8) {
            let parts = text.split(whereSeparator: \.isWhitespace)
            if parts.count == 2, parts[1] == host, let id = Hexadecimal.decode(parts[0]), id.count == Self.length {
                return id
            }
        }
        let id = random.bytes(Self.length)
        try Data("\(Hexadecimal.encode(id)) \(host)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        return id
    }

    private static let length = 16
}

extension NodeIdentity {
    /// Creates the identity of the server that a configuration describes.
    init(_ configuration: GatefoldConfiguration, started: Date, random: RandomSource) throws {
        let host = ProcessInfo.processInfo.hostName
        let folder = configuration.state.location.folder
        let id: [UInt8]
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            id = try NodeIdentityFile(folder: folder).id(onHost: host, random: random)
        } catch {
            throw BootstrapError.state(
                name: configuration.state.location.name, cause: "cannot write in the folder \(folder) of this node")
        }
        self.init(
            id: id, name: "\(host):\(configuration.listen.port)", version: ServerSoftware.version, started: started,
            url: configuration.state.location.nodeURL)
    }
}
