import Foundation
import Synchronization
import TestSupport
import Testing

/// The folder of a publisher: secrets, two subscriber databases, three publications and a few editions, created by the
/// program itself where possible.
struct Sample: Sendable {
    /// The sample served for the current suite, see ``ServedSample``.
    @TaskLocal static var served: (sample: Sample, server: ServerProcess)?

    static let editions = ["com.example.daily.2020-01", "com.example.daily.2020-02", "com.example.daily.2020-03"]
    /// The free edition.
    static let free = editions[0]
    static let second = editions[1]
    static let third = editions[2]
    static let weekly = "com.example.weekly.7"

    let folder: URL
    let port: Int
    let adminPort: Int
    let http: RawHTTP
    let admin: RawHTTP
    private let readers = Counter()

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    /// The sample that the suite serves.
    static var current: Sample { get throws { try #require(served).sample } }
    static var server: ServerProcess { get throws { try #require(served).server } }

    /// Creates the files in a folder.
    init(in folder: URL, configuration: (String) -> String = { $0 }) async throws {
        self.folder = folder
        port = try FreePort.find()
        adminPort = try FreePort.find()
        http = RawHTTP(port: port)
        admin = RawHTTP(port: adminPort)
        for name in ["secrets", "state", "editions/daily/covers", "editions/weekly"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        for name in ["pseudonyms", "daily", "daily-next", "weekly", "test", "outage", "shop"] {
            try await succeed(["secret", "new", "--out", "secrets/\(name)"])
        }
        try configure(configuration)
        for edition in Self.editions {
            try write("editions/daily/\(edition).zip", EditionStore.bytes(of: "\(edition).zip"))
            try write("editions/daily/covers/\(edition).jpg", Array("cover of \(edition)".utf8))
        }
        try write("editions/daily/feed.xml", Array("<feed/>".utf8))
        try write("editions/weekly/\(Self.weekly).zip", Array("the weekly".utf8))
        try write("editions/weekly/\(Self.second).zip", Array("the weekly's own".utf8))
        try write("house.csv", Array(Self.subscribersCSV.utf8))
        try write("other.csv", Array(Self.other.utf8))
        try await succeed(["subscribers", "import", "house.csv", "--backend", "house"])
        try await succeed(["subscribers", "import", "other.csv", "--backend", "other"])
    }

    /// Returns a reader that no other test of the suite uses, with a subscription that opens every edition.
    func newReader() -> Reader {
        Reader(number: readers.value.add(1, ordering: .relaxed).newValue)
    }

    struct Reader: Sendable {
        static let highestNumber = 60
        let number: Int
        var email: String { "reader-\(number)@example.com" }
        var password: String { "pass word \(number)" }
    }

    static let ada = (email: "ada@example.com", password: "analytical engine")

    private static var subscribersCSV: String {
        """
        identifier,password,state,periods,editions
        ada@example.com,analytical engine,automatic,2019-01-01/2090-12-31,
        grace@example.com,nanosecond,automatic,2019-01-01/2020-02-15,
        alan@example.com,bombe,automatic,,\(second)
        edsger@example.com,shortest path,suspended,2019-01-01/2090-12-31,

        """
            + (1...Reader.highestNumber).map {
                "reader-\($0)@example.com,pass word \($0),automatic,2019-01-01/2090-12-31,\n"
            }.joined()
    }

    /// A reader with the name and number of one in the other database, with another password.
    private static var other: String {
        """
        identifier,password,state,periods,editions
        ada@example.com,another engine,active,,\(weekly);\(second)
        zoe@example.com,zebra,active,,\(weekly)

        """
    }
}

// MARK: - Files

extension Sample {
    /// Removes the state that the imports have created for the audit log, as if no command had run yet.
    func removeState(in folder: String = "state") throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path(folder))
        where name.hasPrefix("state.sqlite") {
            try FileManager.default.removeItem(atPath: path("\(folder)/\(name)"))
        }
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
    }

    func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

    /// Writes the configuration again.
    func configure(_ change: (String) -> String = { $0 }) throws {
        try write("gatefold.yaml", change(configuration))
    }

    private var configuration: String {
        """
        server: {listen: "127.0.0.1:\(port)", admin_listen: "127.0.0.1:\(adminPort)"}
        log: {level: info, format: json}
        state: {path: state/state.sqlite, pseudonym_secret: {file: secrets/pseudonyms}}
        login_throttle: {per_address: 100000, per_identifier: 10}
        passwords: {cost: 1}
        backends:
          house: {kind: sqlite, path: state/house.sqlite}
          other: {kind: sqlite, path: state/other.sqlite}
          made-up: {kind: test}
        publications:
          daily:
            default: true
            backend: house
            credentials: {identifier: email, proofs: [password]}
            policy: period
            devices: {field: device, max: 3, on_limit: evict}
            feed_password: true
            secrets: [{file: secrets/daily}]
            messages: {en: {suspended: Please call us.}}
            content:
              root: editions/daily
              open: ["covers/**"]
              feed: [feed.xml]
            catalogue:
              - {id: \(Self.free), published: 2020-01-01, free: true}
              - {id: \(Self.second), published: 2020-02-01}
              - {id: \(Self.third), published: 2020-03-01}
          weekly:
            backend: other
            credentials: {identifier: email, proofs: [password]}
            policy: issue
            secrets: [{file: secrets/weekly}]
            content: {root: editions/weekly}
          test:
            test: true
            backend: made-up
            policy: backend
            edition_credentials: {salt: plain}
            secrets: [{file: secrets/test}]

        """
    }
}

// MARK: - Commands

extension Sample {
    /// Runs a subcommand in the folder.
    func gatefold(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) async throws
        -> CommandRun
    {
        try await GatefoldProgram.run(arguments, input: input, environment: environment, in: folder)
    }

    /// Runs a subcommand that must succeed and returns its output.
    @discardableResult
    func succeed(_ arguments: [String], input: String? = nil) async throws -> String {
        let run = try await gatefold(arguments, input: input)
        guard run.status == 0 else { throw CommandFailed(arguments: arguments, run: run) }
        return run.output
    }

    struct CommandFailed: Error, CustomStringConvertible {
        let arguments: [String]
        let run: CommandRun
        var description: String { "\(arguments.joined(separator: " ")): \(run.status) \(run.output) \(run.errors)" }
    }

    /// The launch of `gatefold serve`.
    var launch: ServerProcess.Launch {
        // Both listeners start concurrently, and not every configuration has the second one.
        let text = (try? String(contentsOfFile: path("gatefold.yaml"), encoding: .utf8)) ?? ""
        let ports = text.contains("admin_listen: \"127.0.0.1:\(adminPort)\"") ? [adminPort, port] : [port]
        return ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .ports(ports))
    }
}

extension ServerProcess {
    /// Returns a Boolean value that indicates whether the program handles a signal (proc(5), `SigCgt`).
    func catches(_ signal: Int32) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigCgt:") }),
            let signals = line.split(separator: "\t").last.flatMap({ UInt64($0, radix: 16) })
        else { return false }
        return signals & (1 << UInt64(signal - 1)) != 0
    }
}
