extension FuzzTarget {
    /// All targets.
    static let all: [FuzzTarget] = [
        .xmlDocument, .xmlRecords, .json, .jsonPath, .csv,
        .plainRequest, .plainConnection, .requestBody, .requestFields, .requestHeaders, .pageHeaders,
        .appPaths, .pugpigPaths, .routes, .loggedPath, .requestID, .adminRequest, .consoleRequest,
        .gate, .downloadToken, .contentHeaders, .basicCredentials,
        .sealedTexts, .editionCredentials, .accessTokens,
        .identifiers, .addresses,
        .receiptText, .unifiedReceipt, .transactionReceipt, .storeResponse, .signedPurchase,
        .storedPassword, .passwordTemplate, .subscriberImport, .feed, .feedFile, .mapping,
        .serviceResponse, .serviceTemplate, .tokenResponse, .pugpigResponse, .programResponse, .lineChannel,
        .inPlayerResponse,
        .storedSessions, .peerMessage, .revocationJournal, .revocationSnapshot,
        .directoryTexts, .sqlStatement, .databaseTexts,
        .atomCatalogue, .bakerCatalogue,
        .mqttPacket, .webSocket, .pushResponse, .emailTemplate, .mailReply, .settings, .checkedResponse,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
