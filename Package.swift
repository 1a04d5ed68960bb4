// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The library products that targets use, by package.
let products: [String: [String]] = [
    "GRDB.swift": ["GRDB", "GRDBSQLite"],
    "Yams": ["Yams"],
    "async-http-client": ["AsyncHTTPClient"],
    "hummingbird": ["Hummingbird", "HummingbirdCore", "HummingbirdHTTP2", "HummingbirdTLS", "HummingbirdTesting"],
    "jwt-kit": ["JWTKit"],
    "swift-argument-parser": ["ArgumentParser"],
    "swift-asn1": ["SwiftASN1"],
    "swift-certificates": ["X509"],
    "swift-crypto": ["Crypto", "CryptoExtras"],
    "swift-http-types": ["HTTPTypes"],
    "swift-log": ["Logging"],
    "swift-metrics": ["Metrics"],
    "swift-mustache": ["Mustache"],
    "swift-nio": ["NIOConcurrencyHelpers", "NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS", "NIOWebSocket"],
    "swift-nio-extras": ["NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOHTTPTypesHTTP2"],
    "swift-nio-http2": ["NIOHPACK", "NIOHTTP2"],
    "swift-nio-ssl": ["NIOSSL"],
    "swift-service-lifecycle": ["ServiceLifecycle", "UnixSignals"],
]

/// Returns the dependencies with these names, which spaces separate: library products of other packages, and targets of
/// this one.
func dependencies(_ names: [String]) -> [Target.Dependency] {
    names.flatMap { $0.split(separator: " ").map(String.init) }.map { name in
        let package = products.first { $0.value.contains(name) }?.key
        return package.map { .product(name: name, package: $0) } ?? .byName(name: name)
    }
}

/// Lets tests of a release build import internal declarations. Programs and tests have the same options, so that one build makes
/// both, and the tests test what users run.
let testable = SwiftSetting.unsafeFlags(["-enable-testing"], .when(configuration: .release))

/// Links Swift's libraries statically, because the program then needs a sixth less CPU time, and runs without an installed Swift.
/// The libraries after the first option are those that Foundation needs and does not name itself.
let staticRuntime = LinkerSetting.unsafeFlags(
    [
        "-static-stdlib", "-lCoreFoundation", "-l_FoundationICU", "-l_FoundationCShims", "-l_FoundationCollections",
        "-lswiftSynchronization",
    ], .when(platforms: [.linux], configuration: .release))

/// A Swift module, an executable, and a bundle of tests.
func module(_ name: String, path: String? = nil, resources: [Resource] = [], _ names: String...) -> Target {
    .target(
        name: name, dependencies: dependencies(names), path: path, resources: resources,
        swiftSettings: swiftSettings + [testable])
}

/// A program must not be a dependency of tests, whose libraries are linked dynamically.
func program(_ name: String, _ names: String...) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies(names), swiftSettings: swiftSettings, linkerSettings: [staticRuntime])
}

/// The options that leave system modules out of the index of tests, which the package manager always writes. They save a quarter
/// of the time to compile tests.
let indexOptions = ["-index-ignore-system-modules", "-index-ignore-clang-modules"]

/// - Parameter isOptimised: Whether a release build optimises the tests themselves. That takes longer to build than it saves,
///   except for tests that calculate much. The modules that they test are optimised in it.
func tests(_ name: String, isOptimised: Bool = false, _ names: String...) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(names + ["Gatefold Primitives TestSupport"]),
        swiftSettings: swiftSettings + [.unsafeFlags(indexOptions)]
            + (isOptimised ? [] : [.unsafeFlags(["-Onone"], .when(configuration: .release))]))
}

/// The dependencies of the fuzz targets, in the tests and in libFuzzer's program: the modules that read bytes from outside,
/// and the readers that ours are compared with.
let fuzzed = [
    "Accounts AdminAPI Backends CSV Catalogues Commerce Conformance Console ContentGate Crypto FrontDoors Gatefold HTTPTypes",
    "HummingbirdCore InPlayer JSON LDAP Logging MQTT Mail NIOCore NIOEmbedded NIOHTTP1 NIOHTTPTypes NIOHTTPTypesHTTP1",
    "NIOWebSocket ODBC OutgoingRequests PKCS7 PasswordHashing PostgreSQL Primitives Push Receipts SQLAccess Server",
    "Settings State TestSupport Transfers XML",
]

let package = Package(
    name: "gatefold",
    // The platforms other than macOS are for the library `InPlayer`.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Gatefold", targets: ["Accounts", "Commerce", "EdgeTokens", "Gatefold", "Primitives"]),
        .library(name: "ContentGate", targets: ["ContentGate", "Gatefold", "Primitives"]),
        .library(name: "InPlayer", targets: ["InPlayer"]),
        .executable(name: "gatefold", targets: ["GatefoldCommand"]),
        .executable(name: "gatefold-bench", targets: ["BenchmarkProgram"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Earlier releases are open to request smuggling and parser exhaustion (pitfall 15).
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // System libraries, each used by one Swift target or folder.
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),

        // Headers of libraries that the server loads when it first needs them, each used by one Swift target or folder.
        .target(name: "CLibPQ"),
        .target(name: "CODBC"),
        .target(name: "CLDAP"),
        .target(name: "CLibCurl"),
        .target(name: "CArgon2"),
        .target(name: "COpenSSL"),
        module("SharedLibraries"),
        // System calls that Swift imports from no header: which pages of a file are in memory, and how to release memory.
        .target(name: "CResidency"),
        // Counts memory allocations, for benchmarks and tests only.
        .target(name: "CAllocations"),

        // What needs no knowledge of the rest: clock, secrets, encodings, caches, signals.
        module("Primitives", "Crypto"),

        // The domain: no HTTP, SQL or XML.
        module("Gatefold", "Crypto Primitives"),

        // Purchases, readers' accounts, and tokens for CDNs, each on top of the core.
        module("Commerce", "Crypto Gatefold Primitives"),
        module("Accounts", "Gatefold Primitives"),
        module("EdgeTokens", "Crypto CryptoExtras Gatefold Primitives"),

        // Formats and configuration.
        module("XML", "CLibXML2"),
        module("CSV"),
        module("JSON"),
        module("Settings", "Crypto Primitives Yams"),

        // C libraries, each wrapped in Swift once.
        module("PostgreSQL", "CLibPQ SharedLibraries"),
        module("ODBC", "CODBC SharedLibraries"),
        module("LDAP", "CLDAP Primitives SharedLibraries"),
        module("Transfers", "CLibCurl Primitives SharedLibraries"),
        module("PKCS7", "COpenSSL SharedLibraries"),

        // Databases: the publishers' own, and the setup that all our SQLite files share. Stored passwords.
        module(
            "PasswordHashing",
            "CArgon2 CCrypt Crypto CryptoExtras Gatefold NIOPosix Primitives Settings SharedLibraries"),
        module("SQLAccess", "GRDB GRDBSQLite NIOPosix ODBC PostgreSQL Primitives Settings"),

        // HTTP requests to other systems, and the limits that protect both sides.
        module("OutgoingRequests", "AsyncHTTPClient NIOCore NIOHTTP1 NIOPosix NIOSSL Primitives Settings"),
        module("Resilience", "Crypto Gatefold Primitives Settings"),

        // The check of edition credentials in front of content.
        module("ContentGate", "CResidency Gatefold HTTPTypes Hummingbird NIOCore NIOHTTP1 NIOPosix Primitives"),

        // Subscriber systems, catalogues, stores, push services, webhooks, e-mail and the state database.
        module(
            "Backends",
            "Accounts CSV Commerce Crypto GRDB Gatefold InPlayer JSON LDAP NIOCore NIOPosix ODBC OutgoingRequests",
            "PasswordHashing PostgreSQL Primitives Resilience SQLAccess Settings SharedLibraries State Transfers XML"),
        module("Catalogues", "GRDB Gatefold JSON OutgoingRequests Primitives SQLAccess Settings XML"),
        module(
            "Receipts",
            "Commerce Crypto CryptoExtras JSON JWTKit OutgoingRequests PKCS7 Primitives Resilience Settings SwiftASN1",
            "X509"),
        module(
            "Push",
            "AsyncHTTPClient Crypto Gatefold JSON JWTKit NIOCore NIOHTTP1 NIOSSL OutgoingRequests Primitives",
            "Resilience Settings"),
        module("Deliveries", "Commerce Crypto Gatefold JSON OutgoingRequests Primitives Resilience SQLAccess Settings"),
        module("Mail", "Gatefold Mustache Primitives Settings Transfers"),
        module("State", "Accounts Commerce Crypto GRDB Gatefold JSON NIOPosix PostgreSQL Primitives SQLAccess"),

        // The admin API: authentication, checks and the description of its operations, without their handlers.
        module("AdminAPI", "Gatefold HTTPTypes JSON Primitives"),

        // The console: pages that call the operations of the admin API.
        module("Console", resources: [.embedInCode("Files")], "AdminAPI Gatefold HTTPTypes JSON Mustache Primitives"),

        // The protocols of the apps.
        module(
            "FrontDoors", resources: [.embedInCode("SampleApp/Files")],
            "Accounts Commerce ContentGate Crypto Gatefold HTTPTypes Hummingbird JSON JWTKit Logging Mail NIOCore",
            "NIOHTTP1 NIOHTTPTypes Primitives Settings XML"),

        // The server, which connects all of these; the rules of `gatefold check`; the programs.
        module(
            "Server",
            "Accounts AdminAPI Backends CResidency Catalogues Commerce Console ContentGate Crypto Deliveries EdgeTokens",
            "FrontDoors Gatefold HTTPTypes Hummingbird HummingbirdCore JSON Logging MQTT Mail Metrics NIOCore NIOHPACK NIOHTTP1 NIOHTTP2",
            "NIOHTTPTypes NIOHTTPTypesHTTP1 NIOPosix NIOSSL NIOTLS OutgoingRequests PasswordHashing PostgreSQL Primitives",
            "Push Receipts Resilience SQLAccess ServiceLifecycle Settings State UnixSignals"),
        module(
            "Conformance",
            "Gatefold NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL NIOTLS OutgoingRequests Primitives Settings XML"),
        program(
            "GatefoldCommand",
            "Accounts AdminAPI ArgumentParser AsyncHTTPClient Backends CSV Catalogues Commerce Conformance Gatefold Logging",
            "JSON Mail Metrics NIOCore NIOHTTP1 NIOSSL PasswordHashing Primitives Push Resilience SQLAccess Server Settings",
            "State Transfers UnixSignals"),
        program("BenchmarkProgram", "ArgumentParser Benchmarks"),
        module(
            "Benchmarks",
            "ArgumentParser Backends CAllocations ContentGate FrontDoors Gatefold HTTPTypes JSON PasswordHashing",
            "Primitives Resilience State"),

        // Libraries that know nothing of the rest: MQTT, and a client of InPlayer's service.
        module("MQTT", "NIOConcurrencyHelpers NIOCore NIOHTTP1 NIOPosix NIOSSL NIOWebSocket"),
        module("InPlayer", "AsyncHTTPClient Crypto MQTT NIOCore NIOHTTP1 NIOSSL"),

        // What tests share: helpers, real servers with the same readers in each, and fakes of the stores and push services.
        module(
            "TestSupport", path: "Tests/TestSupport",
            "Accounts Commerce Gatefold HTTPTypes HummingbirdCore JSON Logging NIOCore NIOEmbedded NIOHTTP1 NIOHTTPTypesHTTP1",
            "NIOPosix Primitives XML"),
        module(
            "BackendFixtures", path: "Tests/BackendFixtures",
            "Backends GRDB Gatefold PasswordHashing Primitives Settings TestSupport"),
        module(
            "StoreFixtures", path: "Tests/StoreFixtures",
            "Commerce Crypto HTTPTypes Hummingbird HummingbirdTLS JSON Logging NIOCore NIOSSL Primitives",
            "ServiceLifecycle SwiftASN1 TestSupport X509"),
        module(
            "PushFixtures", path: "Tests/PushFixtures",
            "Crypto Gatefold HTTPTypes Hummingbird HummingbirdHTTP2 Logging NIOCore NIOHTTP2 NIOSSL ServiceLifecycle",
            "TestSupport"),

        // The publisher's rules written a second time, for tests to compare the program with.
        module("AccessModel", path: "Tests/AccessModel", "Gatefold"),

        // Runs the tasks of simulated nodes on one thread.
        .target(name: "CSimulation", path: "Tests/CSimulation"),

        // The load and outage test that deploy/soak runs.
        .executableTarget(
            name: "gatefold-soak",
            dependencies: dependencies([
                "AccessModel ArgumentParser BackendFixtures Gatefold PasswordHashing Primitives TestSupport"
            ]),
            path: "Tests/Soak", swiftSettings: swiftSettings),

        // Tests of one module each.
        tests("AdminAPITests", "AdminAPI HTTPTypes JSON"),
        tests(
            "BackendsTests",
            "BackendFixtures Backends Benchmarks CSV Commerce Conformance Crypto GRDB HTTPTypes Hummingbird",
            "HummingbirdTesting InPlayer JSON LDAP NIOCore NIOPosix ODBC OutgoingRequests PasswordHashing PostgreSQL",
            "Resilience SQLAccess Settings SharedLibraries State Transfers XML"),
        tests("CSVTests", "CSV"),
        tests("ConsoleTests", "AdminAPI Console HTTPTypes JSON"),
        tests("CataloguesTests", "BackendFixtures Catalogues FrontDoors GRDB SQLAccess Settings State XML"),
        tests(
            "ConformanceTests",
            "Conformance Crypto NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL NIOTLS Settings XML"),
        tests(
            "ContentGateTests",
            "ContentGate HTTPTypes Hummingbird HummingbirdTesting Logging NIOCore NIOHTTP1 NIOPosix"),
        tests(
            "DeliveriesTests",
            "BackendFixtures Commerce Crypto Deliveries GRDB Hummingbird JSON NIOCore Resilience Settings"),
        tests(
            "FrontDoorsTests",
            "Accounts Backends Catalogues Commerce ContentGate Crypto FrontDoors HTTPTypes Hummingbird",
            "HummingbirdTesting InPlayer JSON MQTT NIOCore NIOEmbedded NIOHTTPTypes PasswordHashing Receipts",
            "Resilience Settings State XML"),
        tests("GatefoldTests", "Accounts Commerce EdgeTokens"),
        tests("InPlayerTests", "Crypto HTTPTypes Hummingbird HummingbirdTesting InPlayer NIOCore NIOSSL"),
        tests("JSONTests", "JSON"),
        tests("MQTTTests", "MQTT NIOCore NIOSSL"),
        tests("MailTests", "JSON Mail NIOCore NIOPosix Settings Transfers"),
        tests("OutgoingRequestsTests", "NIOCore NIOPosix OutgoingRequests Settings"),
        tests("ResilienceTests", "Resilience"),
        tests("PushTests", "Crypto JWTKit OutgoingRequests Push PushFixtures Settings"),
        tests(
            "ReceiptsTests",
            "Commerce Crypto FrontDoors HTTPTypes Hummingbird HummingbirdTLS HummingbirdTesting JSON JWTKit NIOCore",
            "NIOSSL OutgoingRequests PKCS7 Receipts Resilience Settings State StoreFixtures SwiftASN1 X509"),
        tests(
            "ServerTests",
            "Accounts AdminAPI AsyncHTTPClient Backends Catalogues Commerce Console ContentGate Crypto EdgeTokens",
            "FrontDoors HTTPTypes Hummingbird HummingbirdCore HummingbirdTesting JSON Logging MQTT Mail Metrics NIOCore NIOEmbedded NIOHPACK",
            "NIOHTTP1 NIOHTTP2 NIOHTTPTypes NIOHTTPTypesHTTP1 NIOHTTPTypesHTTP2 NIOPosix NIOSSL NIOTLS OutgoingRequests",
            "PasswordHashing PostgreSQL Push Resilience SQLAccess Server ServiceLifecycle Settings State Transfers"),
        tests("SettingsTests", "Settings"),
        tests("StateTests", "Accounts BackendFixtures Commerce Crypto GRDB Mail PostgreSQL SQLAccess Settings State"),
        tests("XMLTests", "XML"),

        // Tests of the whole program, of its parsers with random bytes, and of the files in deploy.
        tests("BackendSuites", "BackendFixtures Backends Conformance PasswordHashing Server Settings"),
        tests("StoreSuites", "Commerce GRDB JSON StoreFixtures"),
        tests(
            "InPlayerSuites",
            "Accounts AsyncHTTPClient Commerce GRDB InPlayer NIOCore NIOSSL StoreFixtures"),
        .testTarget(
            name: "FuzzingTests", dependencies: dependencies(fuzzed), exclude: ["Program"], swiftSettings: swiftSettings
        ),
        tests("DeployTests", "ContentGate FrontDoors InPlayer MQTT"),
        tests(
            "CommandTests",
            "Accounts BackendFixtures Backends Commerce Crypto GRDB NIOCore NIOHPACK NIOPosix NIOSSL",
            "PasswordHashing PushFixtures Server State"),
        tests(
            "ModelTests", isOptimised: true,
            "AccessModel Backends Commerce ContentGate HTTPTypes PasswordHashing Resilience State"),
        tests(
            "SimulationTests", isOptimised: true,
            "CSimulation Commerce Deliveries GRDBSQLite Logging PostgreSQL Resilience SQLAccess Server State"),
    ]
)

// For deploy/fuzz only, which sets GATEFOLD_FUZZER_RUNTIME to the path of the libFuzzer runtime: our modules are
// instrumented for coverage, and an executable linked with the runtime is added. GATEFOLD_FUZZER_ADDRESS adds
// AddressSanitizer. Both sanitizers are one option, because the compiler uses only the last of several `-sanitize` options.
if let runtime = Context.environment["GATEFOLD_FUZZER_RUNTIME"] {
    let checksAddresses = Context.environment["GATEFOLD_FUZZER_ADDRESS"] != nil
    let sanitizers = checksAddresses ? "fuzzer,address" : "fuzzer"
    package.targets.removeAll { $0.isTest }
    for target in package.targets where target.type == .regular {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=\(sanitizers)"]))
    }
    package.products.append(.executable(name: "gatefold-fuzz", targets: ["Fuzzing"]))
    package.targets.append(
        .executableTarget(
            name: "Fuzzing", dependencies: dependencies(fuzzed), path: "Tests/FuzzingTests",
            sources: ["Program", "Targets"], swiftSettings: swiftSettings,
            linkerSettings: [
                .unsafeFlags(["-Xlinker", runtime] + (checksAddresses ? ["-sanitize=address"] : [])),
                .linkedLibrary("stdc++"),
            ]))
}
