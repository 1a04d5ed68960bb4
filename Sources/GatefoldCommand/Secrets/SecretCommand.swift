import ArgumentParser
import Foundation
import Primitives

struct SecretCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret", abstract: "Create secrets.", subcommands: [SecretNewCommand.self])
}

struct SecretNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Print a new random secret, or write it to a file that only its owner can read.")

    @Option(help: "The number of random bytes, encoded as URL-safe base64.")
    var bytes = 32

    @Option(help: "Write to this new file, with mode 0600.", completion: .file())
    var out: String?

    func validate() throws {
        guard (SecretWeakness.minBytes...1024).contains(bytes) else {
            throw ValidationError("expected --bytes from \(SecretWeakness.minBytes) to 1024")
        }
    }

    func run() throws {
        let secret = Base64URL.encode(RandomSource.system.bytes(bytes))
        guard let out else {
            print(secret)
            return
        }
        let handle = try PrivateOutput.create(out)
        try handle.write(contentsOf: Data((secret + "\n").utf8))
        try handle.synchronize()
    }
}
