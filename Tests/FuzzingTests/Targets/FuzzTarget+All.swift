extension FuzzTarget {
    /// Every target there is.
    static let all: [FuzzTarget] = [
        .xmlDocument, .xmlRecords, .json, .jsonPath, .csv,
        .plainRequest, .fastLane, .requestBody, .requestFields, .requestHeaders, .pageHeaders,
        .appPaths, .pugpigPaths, .loggedPath,
        .gate, .ticket, .contentHeaders, .basicCredentials,
        .sealedTexts, .editionCredentials, .accessTokens,
        .identifiers, .addresses,
        .receiptText, .unifiedReceipt, .transactionReceipt, .storeAnswer, .signedPurchase,
        .storedPassword, .passwordTemplate, .subscriberImport, .feed, .feedFile, .mapping,
        .serviceAnswer, .serviceTemplate, .tokenAnswer, .pugpigAnswer, .programAnswer, .lineChannel, .inPlayerAnswer,
        .keptSessions,
        .directoryTexts, .sqlStatement, .databaseTexts,
        .atomCatalogue, .bakerCatalogue,
        .mqttPacket, .webSocket, .pushAnswer, .letterTemplate, .mailReply, .settings, .checkedAnswer,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
