// swift-tools-version: 6.2
import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What reads bytes from outside, and the readers that ours are compared with.
let fuzzed: [Target.Dependency] = [
    "Backends", "CSV", "Catalogues", "Conformance", "ContentGate", "FrontDoors", "Gatefold", "InPlayer", "JSON", "LDAP",
    "MQTT", "Mail", "ODBC", "OutgoingRequests", "PKCS7", "PostgreSQL", "Push", "Receipts", "Server", "Settings",
    "Transfers", "XML",
    .product(name: "Crypto", package: "swift-crypto"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "HummingbirdCore", package: "hummingbird"),
    .product(name: "Logging", package: "swift-log"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOEmbedded", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
    .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
    .product(name: "NIOWebSocket", package: "swift-nio"),
]

let package = Package(
    name: "gatefold",
    // All but macOS are for the library `InPlayer`.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Gatefold", targets: ["Gatefold"]),
        .library(name: "ContentGate", targets: ["ContentGate"]),
        .library(name: "InPlayer", targets: ["InPlayer"]),
        .executable(name: "gatefold", targets: ["GatefoldCommand"]),
        .executable(name: "gatefold-bench", targets: ["Benchmarks"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // PITFALLS row 15: releases before these are open to request smuggling and parser exhaustion.
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
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // System libraries, each wrapped by exactly one Swift target or folder.
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),

        // The headers of libraries that are loaded when first needed; each used by exactly one Swift target or folder.
        .target(name: "CLibPQ"),
        .target(name: "CODBC"),
        .target(name: "CLDAP"),
        .target(name: "CLibCurl"),
        .target(name: "CArgon2"),
        .target(name: "COpenSSL"),
        .target(name: "SharedLibraries", swiftSettings: swiftSettings),
        // Calls of the system that Swift imports from no header: what is in memory, and how it is given back.
        .target(name: "CResidency"),

        // The domain: no HTTP, SQL or XML.
        .target(
            name: "Gatefold",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings),

        // Formats.
        .target(name: "XML", dependencies: ["CLibXML2"], swiftSettings: swiftSettings),
        .target(name: "CSV", swiftSettings: swiftSettings),
        .target(name: "JSON", swiftSettings: swiftSettings),
        .target(
            name: "Settings",
            dependencies: [
                "Gatefold", .product(name: "Crypto", package: "swift-crypto"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swiftSettings),

        // C libraries behind Swift.
        .target(name: "PostgreSQL", dependencies: ["CLibPQ", "SharedLibraries"], swiftSettings: swiftSettings),
        .target(name: "ODBC", dependencies: ["CODBC", "SharedLibraries"], swiftSettings: swiftSettings),
        .target(name: "LDAP", dependencies: ["CLDAP", "SharedLibraries"], swiftSettings: swiftSettings),
        .target(name: "Transfers", dependencies: ["CLibCurl", "SharedLibraries"], swiftSettings: swiftSettings),
        .target(name: "PKCS7", dependencies: ["COpenSSL", "SharedLibraries"], swiftSettings: swiftSettings),

        // Databases: what every SQLite file of ours needs.
        .target(
            name: "SQLAccess",
            dependencies: [
                "Gatefold",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings),

        // Questions to other systems, and what protects both sides.
        .target(
            name: "OutgoingRequests",
            dependencies: [
                "Gatefold", "Settings",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        .target(name: "Protections", dependencies: ["Gatefold", "Settings"], swiftSettings: swiftSettings),

        // In front of content.
        .target(
            name: "ContentGate",
            dependencies: [
                "Gatefold", "CResidency",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),

        // The outside.
        .target(
            name: "Backends",
            dependencies: [
                "Gatefold", "CSV", "JSON", "XML", "Settings", "CCrypt", "CArgon2", "SharedLibraries", "PostgreSQL",
                "ODBC", "LDAP", "Transfers", "InPlayer", "OutgoingRequests", "Protections", "SQLAccess",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        // Where publications' catalogues come from, and what keeps them.
        .target(
            name: "Catalogues",
            dependencies: [
                "Gatefold", "Backends", "JSON", "XML", "Settings", "OutgoingRequests", "SQLAccess",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings),
        // The app stores' receipts.
        .target(
            name: "Receipts",
            dependencies: [
                "Gatefold", "Settings", "JSON", "OutgoingRequests", "PKCS7", "Protections",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings),
        // Notifications to apps.
        .target(
            name: "Push",
            dependencies: [
                "Gatefold", "Settings", "JSON", "OutgoingRequests", "Protections",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        // What was bought, handed out.
        .target(
            name: "Deliveries",
            dependencies: [
                "Gatefold", "Settings", "JSON", "OutgoingRequests", "Protections", "Backends",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings),
        // Letters to readers.
        .target(
            name: "Mail",
            dependencies: [
                "Gatefold", "Settings", "Protections", "Transfers",
                .product(name: "Mustache", package: "swift-mustache"),
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "State",
            dependencies: ["Gatefold", "JSON", "SQLAccess", .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: swiftSettings),
        .target(
            name: "FrontDoors",
            dependencies: [
                "Gatefold", "ContentGate", "JSON", "XML",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: swiftSettings),

        // Wiring.
        .target(
            name: "Server",
            dependencies: [
                "Gatefold", "CResidency", "ContentGate", "Backends", "Catalogues", "Receipts", "Deliveries", "Mail",
                "MQTT", "Protections", "Push", "State", "FrontDoors", "Settings",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings),
        // The rules of `gatefold check`, for endpoints of anybody.
        .target(
            name: "Conformance",
            dependencies: [
                "Gatefold", "OutgoingRequests", "Settings", "XML",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "GatefoldCommand",
            dependencies: [
                "Gatefold", "Backends", "Catalogues", "Conformance", "CSV", "Mail", "Push", "SQLAccess", "State",
                "Server",
                "Settings", "Transfers",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "Gatefold", "Backends", "ContentGate", "FrontDoors", "JSON", "Protections", "State",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings),

        // MQTT, and a client of InPlayer's service: both know nothing of the rest.
        .target(
            name: "MQTT",
            dependencies: [
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        .target(
            name: "InPlayer",
            dependencies: [
                "MQTT",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "Gatefold", "JSON", "Protections", "XML",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // The real servers that the backends are tested against, each with the same readers.
        .target(
            name: "BackendBenches",
            dependencies: [
                "Backends", "Gatefold", "Settings", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/BackendBenches", swiftSettings: swiftSettings),
        // What the app stores are in tests: servers on loopback, and authorities that sign receipts.
        .target(
            name: "StoreBenches",
            dependencies: [
                "Gatefold", "JSON", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/StoreBenches", swiftSettings: swiftSettings),
        .testTarget(
            name: "MQTTTests",
            dependencies: [
                "MQTT", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "InPlayerTests",
            dependencies: [
                "InPlayer", "MQTT", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "GatefoldTests",
            dependencies: [
                "Gatefold", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings),
        // Readers in great number before the real program and a real subscriber system with bad days: deploy/soak.
        .executableTarget(
            name: "gatefold-soak",
            dependencies: [
                "AccessModel", "BackendBenches", "Backends", "Gatefold", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Soak", swiftSettings: swiftSettings),
        // The publisher's rules said once more, for tests to compare the program with.
        .target(
            name: "AccessModel", dependencies: ["Gatefold"], path: "Tests/AccessModel", swiftSettings: swiftSettings),
        .testTarget(
            name: "ModelTests",
            dependencies: [
                "AccessModel", "Backends", "ContentGate", "Gatefold", "Protections", "State", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "Conformance", "Gatefold", "GatefoldCommand", "JSON", "Settings", "TestSupport", "XML",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(name: "XMLTests", dependencies: ["XML", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "SettingsTests", dependencies: ["Settings", "Gatefold", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "CataloguesTests",
            dependencies: [
                "Catalogues", "BackendBenches", "FrontDoors", "Gatefold", "SQLAccess", "Settings", "XML",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ProtectionsTests", dependencies: ["Protections", "Gatefold", "Settings", "TestSupport"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "OutgoingRequestsTests",
            dependencies: [
                "OutgoingRequests", "Gatefold", "Settings", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(name: "CSVTests", dependencies: ["CSV", "TestSupport"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ContentGateTests",
            dependencies: [
                "ContentGate", "Gatefold", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "BackendsTests",
            dependencies: [
                "Backends", "BackendBenches", "Conformance", "CSV", "JSON", "Gatefold", "Settings", "SharedLibraries",
                "PostgreSQL", "ODBC", "LDAP", "Transfers", "InPlayer", "OutgoingRequests", "Protections", "Receipts",
                "SQLAccess", "State",
                "XML", "TestSupport", "Benchmarks",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        // A stand-in for Apple's push notification service.
        .target(
            name: "PushBenches",
            dependencies: [
                "Gatefold", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/PushBenches", swiftSettings: swiftSettings),
        .testTarget(
            name: "PushTests",
            dependencies: [
                "Push", "PushBenches", "Gatefold", "OutgoingRequests", "Settings", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ReceiptsTests",
            dependencies: [
                "Receipts", "FrontDoors", "Gatefold", "JSON", "OutgoingRequests", "PKCS7", "Protections", "Settings",
                "SharedLibraries", "State", "StoreBenches", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "StateTests",
            dependencies: [
                "State", "Gatefold", "SQLAccess", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "FrontDoorsTests",
            dependencies: [
                "FrontDoors", "Backends", "Catalogues", "ContentGate", "InPlayer", "JSON", "MQTT", "Receipts",
                "Settings",
                "State", "Gatefold", "XML", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "MailTests",
            dependencies: [
                "Mail", "Gatefold", "JSON", "Settings", "Transfers", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "DeliveriesTests",
            dependencies: [
                "Deliveries", "Backends", "BackendBenches", "Gatefold", "JSON", "Protections", "Settings",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Server", "Catalogues", "FrontDoors", "Backends", "Mail", "MQTT", "OutgoingRequests", "Push", "State",
                "Gatefold", "ContentGate", "Settings", "TestSupport", "Transfers",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "GatefoldCommand", "Server", "Backends", "BackendBenches", "PushBenches", "State", "Gatefold",
                "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "BackendSuites",
            dependencies: [
                "GatefoldCommand", "Server", "Backends", "BackendBenches", "Conformance", "Gatefold", "Settings",
                "TestSupport",
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "StoreSuites",
            dependencies: [
                "Gatefold", "GatefoldCommand", "JSON", "StoreBenches", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "InPlayerSuites",
            dependencies: [
                "InPlayer", "GatefoldCommand", "StoreBenches", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings),
        // Parsers given what nobody expects. `deploy/fuzz` builds the same targets into a program of libFuzzer, see below.
        .testTarget(
            name: "FuzzingTests", dependencies: fuzzed + ["TestSupport"], exclude: ["Program"],
            swiftSettings: swiftSettings),
        .testTarget(
            name: "DeployTests",
            dependencies: [
                "ContentGate", "FrontDoors", "GatefoldCommand", "Gatefold", "InPlayer", "MQTT", "TestSupport",
            ],
            swiftSettings: swiftSettings),
    ]
)

// For `deploy/fuzz` alone: the path of libFuzzer's runtime. Our own modules then tell it which of their branches were taken,
// and there is one product more, which is linked with it. With GATEFOLD_FUZZER_ADDRESS they have AddressSanitizer look at all
// memory that they touch, too: in one option, because of several `-sanitize` the compiler takes the last alone.
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
            name: "Fuzzing", dependencies: fuzzed, path: "Tests/FuzzingTests", sources: ["Program", "Targets"],
            swiftSettings: swiftSettings,
            linkerSettings: [
                .unsafeFlags(["-Xlinker", runtime] + (checksAddresses ? ["-sanitize=address"] : [])),
                .linkedLibrary("stdc++"),
            ]))
}
