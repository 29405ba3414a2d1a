const words = (list: string): readonly string[] => list.split(', ');

/** Makes sold in the United States and Canada with their usual models. Spelling only: nothing is validated against it. */
export const MAKES: Readonly<Record<string, readonly string[]>> = {
  Acura: words('ILX, Integra, Legend, MDX, NSX, RDX, RLX, RSX, TL, TLX, TSX, ZDX'),
  'Alfa Romeo': words('4C, Giulia, Stelvio, Tonale'),
  'Aston Martin': words('DB11, DB12, DBX, Vantage'),
  Audi: words(
    'A3, A4, A4 allroad, A5, A5 Sportback, A6, A6 allroad, A7, A8, e-tron, e-tron GT, e-tron Sportback, Q3, Q4 e-tron, Q5, Q5 Sportback, Q6 e-tron, Q7, Q8, Q8 e-tron, R8, RS 3, RS 5, RS 6 Avant, RS 7, S3, S4, S5, S6, S7, S8, SQ5, SQ7, SQ8, TT, TTS',
  ),
  Bentley: words('Bentayga, Continental GT, Flying Spur, Mulsanne'),
  BMW: words(
    '228i, 230i, 320i, 328i, 330e, 330i, 335i, 340i, 428i, 430i, 440i, 528i, 530e, 530i, 535i, 540i, 550i, 740i, 745e, 750i, 760i, 840i, i3, i4, i5, i7, iX, M2, M240i, M3, M340i, M4, M440i, M5, M8, X1, X2, X3, X3 M, X4, X5, X5 M, X6, X6 M, X7, XM, Z3, Z4',
  ),
  Buick: words(
    'Cascada, Enclave, Encore, Encore GX, Envision, Envista, LaCrosse, LeSabre, Lucerne, Park Avenue, Regal, Rendezvous, Verano',
  ),
  Cadillac: words(
    'ATS, CT4, CT5, CT6, CTS, DeVille, DTS, Escalade, Escalade ESV, Escalade EXT, Lyriq, Optiq, SRX, STS, Vistiq, XT4, XT5, XT6, XTS',
  ),
  Chevrolet: words(
    'Astro, Avalanche, Aveo, Blazer, Blazer EV, Bolt EUV, Bolt EV, Camaro, Captiva Sport, Cavalier, City Express, Cobalt, Colorado, Corvette, Cruze, Equinox, Equinox EV, Express 1500, Express 2500, Express 3500, HHR, Impala, Malibu, Monte Carlo, S-10, Silverado 1500, Silverado 2500HD, Silverado 3500HD, Silverado EV, Sonic, Spark, SS, Suburban, Tahoe, TrailBlazer, Trailblazer, Traverse, Trax, Uplander, Venture, Volt',
  ),
  Chrysler: words(
    '200, 300, 300C, Aspen, Concorde, Crossfire, Grand Caravan, Pacifica, Pacifica Hybrid, PT Cruiser, Sebring, Town & Country, Voyager',
  ),
  Dodge: words(
    'Avenger, Caliber, Caravan, Challenger, Charger, Dakota, Dart, Durango, Grand Caravan, Hornet, Journey, Magnum, Neon, Nitro, Ram 1500, Ram 2500, Ram 3500, Stratus, Viper',
  ),
  Ferrari: words('296 GTB, 458 Italia, 488 GTB, California, F8 Tributo, Portofino, Purosangue, Roma'),
  FIAT: words('124 Spider, 500, 500e, 500L, 500X'),
  Fisker: words('Karma, Ocean'),
  Ford: words(
    'Bronco, Bronco Sport, C-Max Energi, C-Max Hybrid, Crown Victoria, E-150, E-250, E-350, E-450, EcoSport, Edge, Escape, Escape Hybrid, Escape PHEV, Excursion, Expedition, Expedition MAX, Explorer, Explorer Sport Trac, F-150, F-150 Lightning, F-250, F-350, F-450, F-550, Fiesta, Five Hundred, Flex, Focus, Freestar, Freestyle, Fusion, Fusion Energi, Fusion Hybrid, GT, Maverick, Mustang, Mustang Mach-E, Ranger, Shelby GT350, Shelby GT500, Taurus, Taurus X, Thunderbird, Transit, Transit Connect, Transit-150, Transit-250, Transit-350, Windstar',
  ),
  Genesis: words('Electrified GV70, G70, G80, G90, GV60, GV70, GV80'),
  GMC: words(
    'Acadia, Canyon, Envoy, Hummer EV, Jimmy, Savana 1500, Savana 2500, Savana 3500, Sierra 1500, Sierra 2500HD, Sierra 3500HD, Sierra EV, Terrain, Yukon, Yukon XL',
  ),
  Honda: words(
    'Accord, Accord Hybrid, Civic, Civic Hybrid, Civic Type R, Clarity, CR-V, CR-V Hybrid, CR-Z, Crosstour, Element, Fit, HR-V, Insight, Odyssey, Passport, Pilot, Prelude, Prologue, Ridgeline, S2000',
  ),
  HUMMER: words('H1, H2, H3'),
  Hyundai: words(
    'Accent, Azera, Elantra, Elantra GT, Elantra Hybrid, Elantra N, Entourage, Equus, Genesis, Genesis Coupe, IONIQ, IONIQ 5, IONIQ 6, IONIQ 9, Kona, Kona Electric, NEXO, Palisade, Santa Cruz, Santa Fe, Santa Fe Hybrid, Sonata, Sonata Hybrid, Tiburon, Tucson, Tucson Hybrid, Veloster, Venue, Veracruz',
  ),
  INFINITI: words('EX35, FX35, G35, G37, JX35, M35, M37, Q50, Q60, Q70, QX30, QX4, QX50, QX55, QX56, QX60, QX70, QX80'),
  Isuzu: words('Ascender, Axiom, Rodeo, Trooper'),
  Jaguar: words('E-PACE, F-PACE, F-TYPE, I-PACE, S-TYPE, X-TYPE, XE, XF, XJ, XK'),
  Jeep: words(
    'Cherokee, Commander, Compass, Gladiator, Grand Cherokee, Grand Cherokee 4xe, Grand Cherokee L, Grand Wagoneer, Liberty, Patriot, Recon, Renegade, Wagoneer, Wagoneer L, Wagoneer S, Wrangler, Wrangler 4xe, Wrangler Unlimited',
  ),
  Kia: words(
    'Amanti, Borrego, Cadenza, Carnival, EV6, EV9, Forte, Forte5, K4, K5, K900, Magentis, Niro, Niro EV, Optima, Rio, Rondo, Sedona, Seltos, Sorento, Sorento Hybrid, Soul, Soul EV, Spectra, Sportage, Sportage Hybrid, Stinger, Telluride',
  ),
  Lamborghini: words('Aventador, Gallardo, Huracan, Revuelto, Urus'),
  'Land Rover': words(
    'Defender, Discovery, Discovery Sport, Freelander, LR2, LR3, LR4, Range Rover, Range Rover Evoque, Range Rover Sport, Range Rover Velar',
  ),
  Lexus: words(
    'CT 200h, ES 300h, ES 330, ES 350, GS 350, GX 460, GX 470, GX 550, HS 250h, IS 250, IS 300, IS 350, LC 500, LS 430, LS 460, LS 500, LX 470, LX 570, LX 600, NX 200t, NX 250, NX 300, NX 350, NX 350h, NX 450h+, RC 300, RC 350, RC F, RX 330, RX 350, RX 350h, RX 350L, RX 450h, RX 500h, RZ 450e, SC 430, TX 350, TX 500h, UX 200, UX 250h, UX 300h',
  ),
  Lincoln: words(
    'Aviator, Blackwood, Continental, Corsair, LS, Mark LT, MKC, MKS, MKT, MKX, MKZ, Nautilus, Navigator, Navigator L, Town Car, Zephyr',
  ),
  Lotus: words('Elise, Emira, Evora, Exige'),
  Lucid: words('Air, Gravity'),
  Maserati: words('Ghibli, GranTurismo, Grecale, Levante, MC20, Quattroporte'),
  Mazda: words(
    'CX-3, CX-30, CX-5, CX-50, CX-7, CX-70, CX-9, CX-90, Mazda2, Mazda3, Mazda5, Mazda6, MPV, MX-30, MX-5 Miata, MX-5 Miata RF, Protege, RX-8, Tribute',
  ),
  McLaren: words('570S, 600LT, 650S, 720S, 750S, Artura, GT'),
  'Mercedes-Benz': words(
    'A 220, AMG GT, B 250, C 230, C 250, C 300, C 350, C 43, C 63, CLA 250, CLA 35, CLA 45, CLS 450, CLS 550, E 300, E 350, E 400, E 450, E 550, EQB, EQE, EQS, G 550, G 63, GL 450, GLA 250, GLA 35, GLB 250, GLC 300, GLC 43, GLE 350, GLE 450, GLE 53, GLK 350, GLS 450, GLS 550, GLS 580, Metris, ML 350, S 500, S 550, S 560, S 580, SL 550, SLC 300, SLK 350, Sprinter',
  ),
  Mercury: words('Grand Marquis, Mariner, Milan, Montego, Mountaineer, Sable, Villager'),
  MINI: words(
    'Clubman, Convertible, Cooper, Cooper Clubman, Cooper Countryman, Cooper S, Countryman, Hardtop, Paceman',
  ),
  Mitsubishi: words(
    'Diamante, Eclipse, Eclipse Cross, Endeavor, Galant, i-MiEV, Lancer, Mirage, Mirage G4, Montero, Outlander, Outlander PHEV, Outlander Sport, Raider, RVR',
  ),
  Nissan: words(
    '350Z, 370Z, Altima, Ariya, Armada, Cube, Frontier, GT-R, Juke, Kicks, LEAF, Maxima, Micra, Murano, NV, NV200, Pathfinder, Qashqai, Quest, Rogue, Rogue Sport, Sentra, Titan, Titan XD, Versa, Versa Note, Xterra, Z',
  ),
  Oldsmobile: words('Alero, Aurora, Bravada, Cutlass, Intrigue, Silhouette'),
  Plymouth: words('Breeze, Neon, Prowler, Voyager'),
  Polestar: words('1, 2, 3, 4'),
  Pontiac: words(
    'Aztek, Bonneville, Firebird, G5, G6, G8, Grand Am, Grand Prix, GTO, Montana, Solstice, Sunfire, Torrent, Vibe, Wave',
  ),
  Porsche: words('718 Boxster, 718 Cayman, 911, Boxster, Cayenne, Cayman, Macan, Panamera, Taycan'),
  Ram: words(
    '1500, 1500 Classic, 2500, 3500, 4500, 5500, Dakota, ProMaster 1500, ProMaster 2500, ProMaster 3500, ProMaster City',
  ),
  Rivian: words('R1S, R1T'),
  'Rolls-Royce': words('Cullinan, Dawn, Ghost, Phantom, Spectre, Wraith'),
  Saab: words('9-2X, 9-3, 9-5, 9-7X'),
  Saturn: words('Astra, Aura, Ion, L-Series, Outlook, Relay, Sky, Vue'),
  Scion: words('FR-S, iA, iM, iQ, tC, xA, xB, xD'),
  smart: words('fortwo'),
  Subaru: words(
    'Ascent, Baja, BRZ, Crosstrek, Forester, Impreza, Legacy, Outback, Solterra, Tribeca, WRX, WRX STI, XV Crosstrek',
  ),
  Suzuki: words('Aerio, Equator, Forenza, Grand Vitara, Kizashi, Reno, SX4, Verona, XL7'),
  Tesla: words('Cybertruck, Model 3, Model S, Model X, Model Y, Roadster'),
  Toyota: words(
    '4Runner, 86, Avalon, bZ4X, C-HR, Camry, Camry Hybrid, Celica, Corolla, Corolla Cross, Corolla Hatchback, Corolla Hybrid, Corolla iM, Crown, Crown Signia, Echo, FJ Cruiser, GR Corolla, GR Supra, GR86, Grand Highlander, Highlander, Highlander Hybrid, Land Cruiser, Matrix, Mirai, MR2, Prius, Prius c, Prius Prime, Prius v, RAV4, RAV4 Hybrid, RAV4 Prime, Sequoia, Sienna, Solara, Supra, Tacoma, Tundra, Tundra Hybrid, Venza, Yaris',
  ),
  VinFast: words('VF 8, VF 9'),
  Volkswagen: words(
    'Arteon, Atlas, Atlas Cross Sport, Beetle, Cabrio, CC, e-Golf, Eos, Golf, Golf Alltrack, Golf GTI, Golf R, Golf SportWagen, GTI, ID. Buzz, ID.4, Jetta, Jetta GLI, New Beetle, Passat, R32, Rabbit, Routan, Taos, Tiguan, Tiguan Limited, Touareg',
  ),
  Volvo: words(
    'C30, C40, C70, EX30, EX90, S40, S60, S70, S80, S90, V40, V50, V60, V60 Cross Country, V70, V90, V90 Cross Country, XC40, XC60, XC70, XC90',
  ),
};
